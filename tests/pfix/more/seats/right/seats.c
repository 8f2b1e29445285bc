// SPDX-License-Identifier: Apache-2.0
#include "seats.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats_left = 4;

int seats_free(void)
{
    pthread_mutex_lock(&lock);
    int n = seats_left;
    pthread_mutex_unlock(&lock);
    return n;
}

int seats_try_take(int n)
{
    pthread_mutex_lock(&lock);
    int is_enough = seats_left >= n;
    if (is_enough)
        seats_left -= n;
    pthread_mutex_unlock(&lock);
    return is_enough;
}

void seats_close(void)
{
    pthread_mutex_lock(&lock);
    seats_left = 0;
    pthread_mutex_unlock(&lock);
}
