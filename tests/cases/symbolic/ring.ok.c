// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Room is found and used in one section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
enum { SIZE = 4 };
static int slots[SIZE], count = SIZE - 1;

static void *take(void *arg)
{
    pthread_mutex_lock(&m);
    count--;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *put(void *arg)
{
    pthread_mutex_lock(&m);
    if (count < SIZE) {
        slots[count] = 1;
        count++;
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, take, NULL);
    pthread_create(&t[1], NULL, put, NULL);
    pthread_create(&t[2], NULL, put, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
