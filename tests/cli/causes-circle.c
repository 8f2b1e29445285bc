// SPDX-License-Identifier: Apache-2.0
// Six philosophers, each with a left and a right fork. It takes all six to wait for each other.
#include <pthread.h>
#include <stdio.h>

enum { PHILOSOPHERS = 6 };

static pthread_mutex_t forks[PHILOSOPHERS];
static int meals[PHILOSOPHERS];

static void *eat(void *argument)
{
    int *meal = argument, i = (int)(meal - meals);
    pthread_mutex_lock(&forks[i]);
    pthread_mutex_lock(&forks[(i + 1) % PHILOSOPHERS]);
    ++*meal;
    pthread_mutex_unlock(&forks[(i + 1) % PHILOSOPHERS]);
    pthread_mutex_unlock(&forks[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[PHILOSOPHERS];
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&threads[i], NULL, eat, &meals[i]);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(threads[i], NULL);
    printf("all have eaten\n");
    return 0;
}
