/* One place in a semaphore, two who want it, and one who exits before the other is done. */
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int x;

static void *work(void *arg)
{
    sem_wait(&s);
    x = x * 2 + 1;
    sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 1);
    pthread_create(&t, NULL, work, NULL);
    sem_wait(&s);
    x = x * 2 + 2;
    sem_post(&s);
    return x;
}
