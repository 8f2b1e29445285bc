/* Two threads each hold one mutex and want the other's; semaphores make it certain. */
//~ outcome: deadlock
//~ stdout: both hold their first mutex
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t has_a, has_b;

static void *a_then_b(void *arg)
{
    pthread_mutex_lock(&a);
    sem_post(&has_a);
    sem_wait(&has_b);
    puts("both hold their first mutex");
    fflush(stdout);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *b_then_a(void *arg)
{
    pthread_mutex_lock(&b);
    sem_post(&has_b);
    sem_wait(&has_a);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&has_a, 0, 0);
    sem_init(&has_b, 0, 0);
    pthread_create(&t[0], NULL, a_then_b, NULL);
    pthread_create(&t[1], NULL, b_then_a, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    puts("unreachable");
    return 0;
}
