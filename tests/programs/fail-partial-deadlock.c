/* Two threads are deadlocked, but main does not wait for them and ends the program. */
//~ outcome: exit 0
//~ stdout: main does not care
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t has_a, has_b, both;

static void *a_then_b(void *arg)
{
    pthread_mutex_lock(&a);
    sem_post(&has_a);
    sem_wait(&has_b);
    sem_post(&both);
    pthread_mutex_lock(&b);
    return arg;
}

static void *b_then_a(void *arg)
{
    pthread_mutex_lock(&b);
    sem_post(&has_b);
    sem_wait(&has_a);
    sem_post(&both);
    pthread_mutex_lock(&a);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&has_a, 0, 0);
    sem_init(&has_b, 0, 0);
    sem_init(&both, 0, 0);
    pthread_create(&t[0], NULL, a_then_b, NULL);
    pthread_create(&t[1], NULL, b_then_a, NULL);
    sem_wait(&both);
    sem_wait(&both);
    puts("main does not care");
    return 0;
}
