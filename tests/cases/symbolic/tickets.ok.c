// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Looking and selling are one section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int left = 2, sold;

static void *sell(void *arg)
{
    pthread_mutex_lock(&m);
    int so_far = sold;
    pthread_mutex_unlock(&m);
    if (so_far >= 5)
        return arg;
    pthread_mutex_lock(&m);
    if (left > 0) {
        left--;
        sold++;
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, sell, NULL);
    pthread_create(&t[1], NULL, sell, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(left + sold == 2);
    return 0;
}
