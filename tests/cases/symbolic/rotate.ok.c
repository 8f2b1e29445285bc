// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// It is brought back in the section that moved it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int table[8], current = 7, enabled = 1;

static void *rotate(void *arg)
{
    pthread_mutex_lock(&m);
    current++;
    if (current == 8)
        current = 0;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *use(void *arg)
{
    pthread_mutex_lock(&m);
    if (enabled)
        table[current]++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, rotate, NULL);
    pthread_create(&t[1], NULL, use, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
