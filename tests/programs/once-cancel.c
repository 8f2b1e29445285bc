/* A thread cancelled inside its once function leaves it to the next caller. */
//~ exit: 0
//~ stdout: cancelled yes, starts 2, finished 1
//~ tsan: skip its pthread_once does not survive a cancelled function
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t inside, never;
static int starts, finished;

static void init(void)
{
    if (starts++ == 0) {
        sem_post(&inside);
        sem_wait(&never); /* ends by cancellation */
    }
    finished++;
}

static void *call(void *arg)
{
    (void)arg;
    pthread_once(&once, init);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    void *result;
    sem_init(&inside, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&first, NULL, call, NULL);
    sem_wait(&inside);
    pthread_create(&second, NULL, call, NULL);
    pthread_cancel(first);
    pthread_join(first, &result);
    pthread_join(second, NULL);
    printf("cancelled %s, starts %d, finished %d\n", result == PTHREAD_CANCELED ? "yes" : "no",
           starts, finished);
    return 0;
}
