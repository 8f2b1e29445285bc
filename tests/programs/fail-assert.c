/* An assertion about the order of two steps fails in a thread in every schedule. */
//~ outcome: assert
//~ stdout: used before it was opened
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t used;
static int opened;

static void *user(void *arg)
{
    puts("used before it was opened");
    fflush(stdout);
    assert(opened == 1);
    sem_post(&used);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&used, 0, 0);
    pthread_create(&t, NULL, user, NULL);
    sem_wait(&used);
    opened = 1; /* too late */
    pthread_join(t, NULL);
    return 0;
}
