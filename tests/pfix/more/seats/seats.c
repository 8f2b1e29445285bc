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

void seats_take(int n)
{
    pthread_mutex_lock(&lock);
    seats_left -= n;
    pthread_mutex_unlock(&lock);
}

void seats_close(void)
{
    pthread_mutex_lock(&lock);
    seats_left = 0;
    pthread_mutex_unlock(&lock);
}
