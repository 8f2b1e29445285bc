// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The list grows, and whoever uses it has the lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int *list;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *unused)
{
    pthread_mutex_lock(&m);
    int *own = list;
    own[0] = 1;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    list = calloc(4, sizeof *list);
    pthread_create(&t, NULL, user, NULL);
    usleep(1000);
    pthread_mutex_lock(&m);
    list = realloc(list, 5 * sizeof *list);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    printf("%d\n", list[0]);
    free(list);
    return 0;
}
