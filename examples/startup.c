/* SPDX-License-Identifier: Apache-2.0
 *
 * startup: a worker asks for the settings that main makes after it has started the worker. Use
 * before initialisation: nothing makes the worker wait, though every access is locked. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct settings {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings *settings;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    printf("size %d\n", settings->size);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    settings = malloc(sizeof *settings);
    settings->size = 7;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    free(settings);
    return 0;
}
