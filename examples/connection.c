/* SPDX-License-Identifier: Apache-2.0
 *
 * connection: a sender tests that there is a connection and uses it in a second section; in
 * between it may be closed. Null dereference. */
#include <pthread.h>
#include <stdio.h>

struct connection {
    int sent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection one;
static struct connection *current = &one;

static void *sender(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int is_open = current != NULL;
    pthread_mutex_unlock(&lock);
    if (is_open) {
        pthread_mutex_lock(&lock);
        current->sent++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *closer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    current = NULL;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, sender, NULL);
    pthread_create(&threads[1], NULL, closer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d sent\n", one.sent);
    return 0;
}
