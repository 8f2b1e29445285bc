/* A thread that sleeps for a minute ends the program if it is not done by then. */
//~ check: quiet
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void *watch(void *arg)
{
    sleep(60);
    fputs("too slow\n", stderr);
    abort();
    return arg;
}

static void *work(void *arg)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        jobs++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t dog, t[2];
    pthread_create(&dog, NULL, watch, NULL);
    pthread_detach(dog);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d jobs\n", jobs);
    return jobs != 10;
}
