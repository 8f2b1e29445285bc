// SPDX-License-Identifier: Apache-2.0
/* Numbers for tickets. The generator is made ready by whoever asks first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CLERKS 3
#define BLOCK 4

static pthread_mutex_t id_lock = PTHREAD_MUTEX_INITIALIZER;
static int id_ready;
static int *id_pool;
static int id_next;

static void id_setup(void)
{
    id_pool = malloc(sizeof *id_pool * CLERKS * BLOCK);
    for (int i = 0; i < CLERKS * BLOCK; i++)
        id_pool[i] = 100 + i;
    id_next = 0;
}

int id_get(void)
{
    int id;

    if (!id_ready) {
        pthread_mutex_lock(&id_lock);
        id_setup();
        id_ready = 1;
        pthread_mutex_unlock(&id_lock);
    }
    pthread_mutex_lock(&id_lock);
    id = id_pool[id_next++];
    pthread_mutex_unlock(&id_lock);
    return id;
}

static void *clerk_main(void *arg)
{
    int *mine = arg;

    for (int i = 0; i < 2; i++)
        mine[i] = id_get();
    return NULL;
}

int main(void)
{
    pthread_t clerk[CLERKS];
    static int given[CLERKS][2];
    int sum = 0;

    for (int i = 0; i < CLERKS; i++)
        pthread_create(&clerk[i], NULL, clerk_main, given[i]);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerk[i], NULL);
    for (int i = 0; i < CLERKS; i++)
        sum += given[i][0] + given[i][1];
    printf("sum of the numbers: %d\n", sum);
    return sum != 615;
}
