// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who takes the pointer away frees.
#include <pthread.h>
#include <stdlib.h>

static char *name;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *drop(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    char *mine = name;
    name = NULL;
    pthread_mutex_unlock(&m);
    free(mine);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    name = malloc(16);
    pthread_create(&a, NULL, drop, NULL);
    pthread_create(&b, NULL, drop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
