/* SPDX-License-Identifier: Apache-2.0
 *
 * single: what single operations cost, in ns: the lowest of many short rounds. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 400, SIZE = 1024, LOCKS = 1000, TURNS = 2000 };
static long shared[SIZE], own[SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int whose;
static volatile long sink;

/* Not through libc: its time is virtual under Heddle, also that of syscall. */
__attribute__((disable_sanitizer_instrumentation)) static double now_ns(void)
{
    struct timespec t;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC), "S"(&t)
                     : "rcx", "r11", "memory");
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *touch(void *arg)
{
    for (int i = 0; i < SIZE; i++)
        shared[i]++;
    return arg;
}

static void *play(void *arg)
{
    int me = arg != NULL;
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&turn);
        while (whose != me)
            pthread_cond_wait(&passed, &turn);
        whose = !me;
        pthread_cond_signal(&passed);
        pthread_mutex_unlock(&turn);
    }
    return arg;
}

#define LOWEST(name, count, body)               \
    do {                                        \
        double best = 1e12;                     \
        for (int k = 0; k < ROUNDS; k++) {      \
            double begin = now_ns();            \
            for (int i = 0; i < (count); i++) { \
                body;                           \
            }                                   \
            double ns = now_ns() - begin;       \
            best = ns < best ? ns : best;       \
        }                                       \
        printf(name " %.2f\n", best / (count)); \
    } while (0)

int main(void)
{
    pthread_t t[2];
    long sum = 0;
    pthread_create(&t[0], NULL, touch, NULL);
    pthread_create(&t[1], NULL, touch, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    LOWEST("private-read", SIZE, sum += own[i]);
    LOWEST("private-write", SIZE, own[i] = i);
    LOWEST("shared-read", SIZE, sum += shared[i]);
    LOWEST("shared-write", SIZE, shared[i] = i);
    LOWEST("lock-unlock", LOCKS, pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock));
    double best = 1e12;
    for (int k = 0; k < 10; k++) {
        double begin = now_ns();
        pthread_create(&t[0], NULL, play, NULL);
        pthread_create(&t[1], NULL, play, &whose);
        pthread_join(t[0], NULL);
        pthread_join(t[1], NULL);
        double ns = now_ns() - begin;
        best = ns < best ? ns : best;
    }
    printf("hand-over %.2f\n", best / (2 * TURNS));
    sink = sum;
    return 0;
}
