/* SPDX-License-Identifier: Apache-2.0
 *
 * tickets: whether a seat is left is looked at under the lock, and the seat is taken under the
 * lock, but the lock is given back in between. An atomicity violation: one seat, sold twice. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 1, sold;

static void *counter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int is_left = seats > 0;
    pthread_mutex_unlock(&lock);
    if (is_left) {
        pthread_mutex_lock(&lock);
        seats--;
        sold++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, counter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sold <= 1);
    printf("%d sold\n", sold);
    return 0;
}
