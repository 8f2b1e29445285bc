// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Each thread has its own.
#include <pthread.h>
#include <stdio.h>

static __thread int mine;

static void *use(void *unused)
{
    (void)unused;
    mine++;
    printf("%d\n", mine);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
