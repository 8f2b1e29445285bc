// SPDX-License-Identifier: Apache-2.0
//~ expect: atomicity A B
// The check and the act are each under the lock, but not together.
#include <pthread.h>
#include <stdio.h>

static int seats = 3, sold;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *sell(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int left = seats; //~ A
    pthread_mutex_unlock(&m);
    if (left > 0) {
        pthread_mutex_lock(&m);
        seats = left - 1; //~ B
        sold++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sell, NULL);
    pthread_create(&b, NULL, sell, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
