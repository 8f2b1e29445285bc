/* Another thread sets a pointer to null between the check and the use. */
//~ outcome: crash 11
//~ stdout: taken away
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t checked, taken;
static int object = 1;
static int *volatile pointer = &object;

static void *user(void *arg)
{
    if (pointer != NULL) {
        sem_post(&checked);
        sem_wait(&taken);
        *pointer = 2;
    }
    return arg;
}

static void *taker(void *arg)
{
    sem_wait(&checked);
    pointer = NULL;
    puts("taken away");
    fflush(stdout);
    sem_post(&taken);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&checked, 0, 0);
    sem_init(&taken, 0, 0);
    pthread_create(&t[0], NULL, user, NULL);
    pthread_create(&t[1], NULL, taker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("unreachable");
    return 0;
}
