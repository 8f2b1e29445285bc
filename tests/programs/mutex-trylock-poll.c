/* Threads that only ever trylock, yielding between attempts, all get their turns. */
//~ exit: 0
//~ stdout: counter 300, both results seen: yes
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t failed_once;
static int counter;

static void *poll_lock(void *arg)
{
    int failures = 0;
    for (int i = 0; i < 100; i++) {
        while (pthread_mutex_trylock(&m) != 0) {
            if (failures++ == 0)
                sem_post(&failed_once);
            sched_yield();
        }
        counter++;
        pthread_mutex_unlock(&m);
    }
    *(int *)arg = failures;
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int failures[3] = {0}, all = 1;
    sem_init(&failed_once, 0, 0);
    pthread_mutex_lock(&m);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, poll_lock, &failures[i]);
    for (int i = 0; i < 3; i++)
        sem_wait(&failed_once); /* every thread met the held mutex */
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        all = all && failures[i] > 0;
    }
    printf("counter %d, both results seen: %s\n", counter, all ? "yes" : "no");
    return 0;
}
