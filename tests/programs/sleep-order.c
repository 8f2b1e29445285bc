/* Sleepers wake in the order of their deadlines, whichever call they sleep with. */
//~ exit: 0
//~ stdout: woke 10 20 30 40 50 ms
//~ only: fifo
//~ native: skip a busy machine may wake them late; certain in virtual time only
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPERS = 5 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int woke[SLEEPERS], count;

static void *sleeper(void *arg)
{
    int ms = *(int *)arg;
    struct timespec span = {.tv_nsec = ms * 1000000L}, end;
    switch (ms) {
    case 10:
        nanosleep(&span, NULL);
        break;
    case 20:
        usleep((unsigned)ms * 1000);
        break;
    case 30:
        clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
        break;
    default:
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec += span.tv_nsec;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, NULL);
    }
    pthread_mutex_lock(&m);
    woke[count++] = ms;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t[SLEEPERS];
    int ms[SLEEPERS] = {50, 20, 40, 10, 30};
    for (int i = 0; i < SLEEPERS; i++)
        pthread_create(&t[i], NULL, sleeper, &ms[i]);
    for (int i = 0; i < SLEEPERS; i++)
        pthread_join(t[i], NULL);
    printf("woke %d %d %d %d %d ms\n", woke[0], woke[1], woke[2], woke[3], woke[4]);
    return 0;
}
