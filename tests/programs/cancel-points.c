/* Cancellation of threads in sleep, nanosleep, sem_wait, read, pthread_join and pause. */
//~ exit: 0
//~ stdout: cancelled 6 of 6, cleaned up 6
//~ tsan: skip it complains when a thread is cancelled in pthread_join
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WAYS = 6 };

static sem_t started, never;
static int ends[2], cleaned[WAYS];
static pthread_t sleeper;

static void block(int way)
{
    char byte;
    switch (way) {
    case 0:
        sleep(3600);
        break;
    case 1:
        nanosleep(&(struct timespec){3600, 0}, NULL);
        break;
    case 2:
        sem_wait(&never);
        break;
    case 3:
        (void)!read(ends[0], &byte, 1);
        break;
    case 4:
        pthread_join(sleeper, NULL);
        break;
    default:
        pause();
    }
}

static void clean_up(void *flag)
{
    *(int *)flag = 1;
}

static void *run(void *arg)
{
    int *flag = arg;
    pthread_cleanup_push(clean_up, flag);
    sem_post(&started);
    for (;;) /* a schedule may let the hour pass */
        block((int)(flag - cleaned));
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t t[WAYS];
    int cancelled = 0, clean = 0;
    sem_init(&started, 0, 0);
    sem_init(&never, 0, 0);
    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < WAYS; i++) {
        pthread_create(&t[i], NULL, run, &cleaned[i]);
        sem_wait(&started);
        if (i == 0)
            sleeper = t[0];
    }
    for (int i = WAYS - 1; i >= 0; i--) { /* the joiner before the one it joins */
        void *result;
        pthread_cancel(t[i]);
        pthread_join(t[i], &result);
        cancelled += result == PTHREAD_CANCELED;
        clean += cleaned[i];
    }
    printf("cancelled %d of %d, cleaned up %d\n", cancelled, WAYS, clean);
    return 0;
}
