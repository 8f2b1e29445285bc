// SPDX-License-Identifier: Apache-2.0
/* One frame at a time from the decoder to the screen. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

struct frame {
    int width, height;
    int pixel[4];
};

static struct frame shared;
static atomic_int is_ready;

static void *decoder_main(void *arg)
{
    (void)arg;
    shared.width = 2;
    shared.height = 2;
    for (int i = 0; i < 4; i++)
        shared.pixel[i] = i + 1;
    atomic_store_explicit(&is_ready, 1, memory_order_relaxed);
    return NULL;
}

static int frame_sum(const struct frame *f)
{
    int sum = 0;

    for (int i = 0; i < f->width * f->height; i++)
        sum += f->pixel[i];
    return sum;
}

int main(void)
{
    pthread_t decoder;

    pthread_create(&decoder, NULL, decoder_main, NULL);
    while (!atomic_load_explicit(&is_ready, memory_order_relaxed))
        sched_yield();
    printf("sum %d\n", frame_sum(&shared));
    pthread_join(decoder, NULL);
    return 0;
}
