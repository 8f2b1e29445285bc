// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The new length of an array comes with the new array.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *numbers, count;

static void *grow(void *arg)
{
    int *more = calloc(8, sizeof *more);
    more[7] = 5;
    pthread_mutex_lock(&m);
    count = 8;
    numbers = more;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *last(void *arg)
{
    int *out = arg;
    pthread_mutex_lock(&m);
    *out = numbers[count - 1];
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int *first = calloc(4, sizeof *first), out = 0;
    numbers = first;
    count = 4;
    pthread_create(&t[0], NULL, grow, NULL);
    pthread_create(&t[1], NULL, last, &out);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    free(numbers);
    free(first);
    return out < 0;
}
