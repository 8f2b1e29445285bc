// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The result is shown after it is computed.
#include <pthread.h>
#include <stdio.h>

static int result;

static void *compute(void *unused)
{
    (void)unused;
    result = 42;
    return NULL;
}

static void *show(void *unused)
{
    (void)unused;
    int value = result;
    printf("%d\n", value);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, compute, NULL);
    pthread_join(a, NULL);
    pthread_create(&b, NULL, show, NULL);
    pthread_join(b, NULL);
    return 0;
}
