// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// The lock sections order the accesses in this run, by accident.
#include <pthread.h>
#include <stdio.h>

static int value, other;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
    (void)unused;
    value = 1; //~ A
    pthread_mutex_lock(&m);
    other++;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *two(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    other++;
    pthread_mutex_unlock(&m);
    value = 2; //~ B
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
