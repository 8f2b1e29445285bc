// SPDX-License-Identifier: Apache-2.0
//~ expect: double-free A B
// The pointer is tested under the lock, and taken away in another section.
#include <pthread.h>
#include <stdlib.h>

static char *name;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *drop(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    char *mine = name; //~ A
    pthread_mutex_unlock(&m);
    if (mine) {
        free(mine);
        pthread_mutex_lock(&m);
        name = NULL; //~ B
        pthread_mutex_unlock(&m);
    }
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
