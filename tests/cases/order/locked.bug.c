// SPDX-License-Identifier: Apache-2.0
//~ expect: order A B
// The result may be shown before it is computed, each under the lock.
#include <pthread.h>
#include <stdio.h>

static int result;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *compute(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    result = 42; //~ B
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *show(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int value = result; //~ A
    pthread_mutex_unlock(&m);
    printf("%d\n", value);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, compute, NULL);
    pthread_create(&b, NULL, show, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
