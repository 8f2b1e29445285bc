// SPDX-License-Identifier: Apache-2.0
//~ expect: null-dereference A
// Whether the connection is open is asked in one section, and it is used in another.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct connection {
    int sent;
} only, *current = &only;
static int state = 1, users;

static void *use(void *arg)
{
    pthread_mutex_lock(&m);
    int is_open = state;
    pthread_mutex_unlock(&m);
    if (is_open) {
        pthread_mutex_lock(&m);
        current->sent++; //~ A
        users++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *finish(void *arg)
{
    pthread_mutex_lock(&m);
    int waited = users;
    pthread_mutex_unlock(&m);
    if (waited > 100)
        return arg;
    pthread_mutex_lock(&m);
    state = 0;
    current = NULL;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, use, NULL);
    pthread_create(&t[1], NULL, finish, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
