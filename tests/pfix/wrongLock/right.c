// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As wrongLock.c, mended by hand: both threads use the data's lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct data {
    pthread_mutex_t lock;
    int value;
};

struct worker {
    struct data *data;
};

static struct data data = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct worker worker = {.data = &data};

static void *with_data_lock(void *argument)
{
    struct worker *w = argument;
    pthread_mutex_lock(&w->data->lock);
    int before = w->data->value;
    w->data->value++;
    assert(w->data->value == before + 1);
    pthread_mutex_unlock(&w->data->lock);
    return NULL;
}

static void *with_data_lock_too(void *argument)
{
    struct worker *w = argument;
    pthread_mutex_lock(&w->data->lock);
    w->data->value++;
    pthread_mutex_unlock(&w->data->lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, with_data_lock, &worker);
    pthread_create(&second, NULL, with_data_lock_too, &worker);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("counted\n");
    return 0;
}
