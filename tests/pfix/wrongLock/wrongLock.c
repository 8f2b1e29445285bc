// SPDX-License-Identifier: Apache-2.0
//~ fails: assert
// A value with a lock of its own; one thread uses that, the other one another lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct data {
    pthread_mutex_t lock;
    int value;
};

struct worker {
    pthread_mutex_t lock;
    struct data *data;
};

static struct data data = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct worker worker = {.lock = PTHREAD_MUTEX_INITIALIZER, .data = &data};

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

static void *with_own_lock(void *argument)
{
    struct worker *w = argument;
    pthread_mutex_lock(&w->lock);
    w->data->value++;
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, with_data_lock, &worker);
    pthread_create(&second, NULL, with_own_lock, &worker);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("counted\n");
    return 0;
}
