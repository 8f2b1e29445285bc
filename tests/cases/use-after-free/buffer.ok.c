// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The buffer is freed when its user has ended.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *buffer;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int value = buffer[1];
    pthread_mutex_unlock(&m);
    printf("%d\n", value);
    return NULL;
}

static void *closer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    free(buffer);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    buffer = malloc(4 * sizeof *buffer);
    buffer[1] = 1;
    pthread_create(&a, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(b, NULL);
    return 0;
}
