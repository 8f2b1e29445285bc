// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// An index has a value before any thread writes it: the program's file says so.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int numbers[4] = {1, 2, 3, 4}, last = 3;

static void *shorten(void *arg)
{
    pthread_mutex_lock(&m);
    last = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *look(void *arg)
{
    int *out = arg;
    pthread_mutex_lock(&m);
    *out = numbers[last];
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int out = 0;
    pthread_create(&t[0], 0, shorten, 0);
    pthread_create(&t[1], 0, look, &out);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return out == 0;
}
