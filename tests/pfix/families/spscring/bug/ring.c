// SPDX-License-Identifier: Apache-2.0
// Samples travel from an interrupt-like producer to a consumer through a ring
// for one writer and one reader.  Free-running indices, power-of-two size.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#define RING_SIZE 2u
#define RING_MASK (RING_SIZE - 1u)
#define N_SAMPLES 4

typedef struct
{
  int channel;
  int value;
} sample_t;

typedef struct
{
  atomic_uint head; /* next slot to write; only the producer stores it */
  atomic_uint tail; /* next slot to read; only the consumer stores it */
  sample_t slot[RING_SIZE];
} ring_t;

static ring_t ring;

static bool ring_put(ring_t *r, const sample_t *s)
{
  unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_acquire);

  if (head - tail == RING_SIZE)
    return false;
  atomic_store_explicit(&r->head, head + 1, memory_order_release);
  r->slot[head & RING_MASK] = *s;
  return true;
}

static bool ring_get(ring_t *r, sample_t *s)
{
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  unsigned head = atomic_load_explicit(&r->head, memory_order_acquire);

  if (head == tail)
    return false;
  atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
  *s = r->slot[tail & RING_MASK];
  return true;
}

static void *producer(void *unused)
{
  (void)unused;
  for (int i = 1; i <= N_SAMPLES; i++)
  {
    sample_t s = {.channel = i % 2, .value = 10 * i};
    while (!ring_put(&ring, &s))
      sched_yield();
  }
  return NULL;
}

int main(void)
{
  pthread_t tid;
  int bad = 0;

  pthread_create(&tid, NULL, producer, NULL);
  for (int i = 1; i <= N_SAMPLES; i++)
  {
    sample_t s;
    while (!ring_get(&ring, &s))
      sched_yield();
    if (s.value != 10 * i || s.channel != i % 2)
      bad++;
  }
  pthread_join(tid, NULL);
  if (bad)
  {
    fprintf(stderr, "%d of %d samples are wrong\n", bad, N_SAMPLES);
    return 1;
  }
  return 0;
}
