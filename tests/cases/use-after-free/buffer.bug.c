// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free A B
// The buffer may be freed before it is used, each under the lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *buffer;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int value = buffer[1]; //~ A
    pthread_mutex_unlock(&m);
    printf("%d\n", value);
    return NULL;
}

static void *closer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    free(buffer); //~ B
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    buffer = malloc(4 * sizeof *buffer);
    buffer[1] = 1;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
