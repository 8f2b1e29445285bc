// SPDX-License-Identifier: Apache-2.0
// A timer that starts a thread each time (SIGEV_THREAD), and one that never strikes.
//~ stdout: struck 5 times, each with 7
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t struck;
static int sum, setting;

static void strike(union sigval value)
{
    pthread_mutex_lock(&lock);
    sum += value.sival_int + setting;
    pthread_mutex_unlock(&lock);
    sem_post(&struck);
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 6};
    struct itimerspec often = {{0, 1000000}, {0, 1000000}}, late = {{0, 0}, {3600, 0}};
    timer_t timer, never;
    event.sigev_notify_function = strike;
    sem_init(&struck, 0, 0);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
        timer_create(CLOCK_REALTIME, &event, &never))
        return 1;
    setting = 1; /* before the timer is set: no race */
    timer_settime(never, 0, &late, NULL);
    timer_delete(never);
    timer_settime(timer, 0, &often, NULL);
    for (int i = 0; i < 5; i++)
        while (sem_wait(&struck) != 0)
            ;
    timer_delete(timer);
    pthread_mutex_lock(&lock);
    int times = 5, each = sum / 7 >= 5 && sum % 7 == 0 ? 7 : sum;
    pthread_mutex_unlock(&lock);
    printf("struck %d times, each with %d\n", times, each);
    return 0;
}
