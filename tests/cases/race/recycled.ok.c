// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The second thread gets the memory that the first one gave back.
#include <pthread.h>
#include <stdlib.h>

static void *use(void *unused)
{
    (void)unused;
    int *p = malloc(32);
    *p = 1;
    ++*p;
    free(p);
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
