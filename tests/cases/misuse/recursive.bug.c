// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A recursive mutex is unlocked once more than it was locked.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int total;

static void *thread(void *arg)
{
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m); //~ A
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return total != 1;
}
