// SPDX-License-Identifier: Apache-2.0
//~ expect: assertion A
// A number and what goes with it are written in two sections.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int generation, data, rounds;

static void *writer(void *arg)
{
    pthread_mutex_lock(&m);
    generation++;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    data = 2 * generation;
    rounds++;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int late = rounds;
    pthread_mutex_unlock(&m);
    if (late > 100)
        return arg;
    pthread_mutex_lock(&m);
    int before = generation, value = data;
    if (before >= 0)
        assert(value == 2 * before); //~ A
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
