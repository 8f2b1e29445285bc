// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B, order A B
// The result may be shown before it is computed, without any lock.
#include <pthread.h>
#include <stdio.h>

static int result;

static void *compute(void *unused)
{
    (void)unused;
    result = 42; //~ B
    return NULL;
}

static void *show(void *unused)
{
    (void)unused;
    int value = result; //~ A
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
