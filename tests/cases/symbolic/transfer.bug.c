// SPDX-License-Identifier: Apache-2.0
//~ expect: assertion A
// Two transfers from one account: the balance is read in one section, written in another.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a = 100, b, moves;

static void *move(void *arg)
{
    pthread_mutex_lock(&m);
    int so_far = moves;
    pthread_mutex_unlock(&m);
    if (so_far >= 5)
        return arg;
    pthread_mutex_lock(&m);
    int have = a;
    pthread_mutex_unlock(&m);
    if (have >= 10) {
        pthread_mutex_lock(&m);
        a = have - 10;
        b += 10;
        moves++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, move, NULL);
    pthread_create(&t[1], NULL, move, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(a + b == 100); //~ A
    return 0;
}
