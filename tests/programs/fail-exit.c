/* A thread calls exit(3) while main waits in a join and another thread for a semaphore. */
//~ outcome: exit 3
//~ stdout: leaving
//~ stdout: exit handler
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t never;

static void handler(void)
{
    puts("exit handler");
}

static void *wait_for_ever(void *arg)
{
    sem_wait(&never);
    return arg;
}

static void *leave(void *arg)
{
    (void)arg;
    puts("leaving"); /* not flushed: exit does that */
    exit(3);
}

int main(void)
{
    pthread_t w, l;
    sem_init(&never, 0, 0);
    atexit(handler);
    pthread_create(&w, NULL, wait_for_ever, NULL);
    pthread_create(&l, NULL, leave, NULL);
    pthread_join(w, NULL);
    puts("unreachable");
    return 0;
}
