/* Two semaphores count free and used places of a ring; a third is a lock. */
//~ exit: 0
//~ stdout: sum 5050, free 4, used 0
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { PLACES = 4, ITEMS = 100, CONSUMERS = 2 };

static sem_t free_places, used_places, lock;
static int ring[PLACES], in, out, sum;

static void *produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        sem_wait(&free_places);
        ring[in++ % PLACES] = i;
        sem_post(&used_places);
    }
    return NULL;
}

static void *consume(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS / CONSUMERS; i++) {
        sem_wait(&used_places);
        sem_wait(&lock);
        sum += ring[out++ % PLACES];
        sem_post(&lock);
        sem_post(&free_places);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[1 + CONSUMERS];
    sem_init(&free_places, 0, PLACES);
    sem_init(&used_places, 0, 0);
    sem_init(&lock, 0, 1);
    pthread_create(&t[0], NULL, produce, NULL);
    for (int i = 1; i <= CONSUMERS; i++)
        pthread_create(&t[i], NULL, consume, NULL);
    for (int i = 0; i <= CONSUMERS; i++)
        pthread_join(t[i], NULL);
    int places = -1, used = -1;
    sem_getvalue(&free_places, &places);
    sem_getvalue(&used_places, &used);
    printf("sum %d, free %d, used %d\n", sum, places, used);
    sem_destroy(&free_places);
    sem_destroy(&used_places);
    return sem_destroy(&lock);
}
