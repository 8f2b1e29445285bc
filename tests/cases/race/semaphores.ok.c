// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A queue of one place, with semaphores.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static int place;
static sem_t empty, full;

static void *one(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        sem_wait(&empty);
        place = i;
        sem_post(&full);
    }
    return NULL;
}

static void *two(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        sem_wait(&full);
        printf("%d\n", place);
        sem_post(&empty);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_destroy(&empty);
    sem_destroy(&full);
    return 0;
}
