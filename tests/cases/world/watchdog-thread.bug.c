// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity/none
// A watchdog thread aborts after 30 s; the race it watches over harms nobody, and it does not
// strike.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sem_t well;
static int touched;

static void *watchdog(void *arg)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 30;
    if (sem_timedwait(&well, &end) != 0)
        abort();
    return arg;
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        touched = 1; //~ here
    return arg;
}

int main(void)
{
    sem_init(&well, 0, 0);
    pthread_t w;
    pthread_create(&w, NULL, watchdog, NULL);
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_post(&well);
    pthread_join(w, NULL);
    puts(touched ? "all well" : "not touched");
    return 0;
}
