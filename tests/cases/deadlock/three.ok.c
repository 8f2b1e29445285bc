// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The smaller lock first.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                               PTHREAD_MUTEX_INITIALIZER};

static void *eat(void *seat)
{
    long left = (long)seat, right = (left + 1) % 3;
    if (left > right) {
        long swap = left;
        left = right;
        right = swap;
    }
    pthread_mutex_lock(&m[left]);
    pthread_mutex_lock(&m[right]);
    pthread_mutex_unlock(&m[right]);
    pthread_mutex_unlock(&m[left]);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, eat, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
