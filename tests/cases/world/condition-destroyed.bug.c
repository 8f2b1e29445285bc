// SPDX-License-Identifier: Apache-2.0
//~ check: use-after-free|use-after-destroy|misuse
// Elements of a list are freed while their waiters still need them.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct element {
    pthread_cond_t gone;
    int busy, key;
};

static struct element *current;

static void *wait_gone(void *arg)
{
    pthread_mutex_lock(&lock);
    struct element *e = current;
    if (e != NULL) {
        while (e->busy)                         //~ here
            pthread_cond_wait(&e->gone, &lock); //~ here
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static void delete_it(void)
{
    pthread_mutex_lock(&lock);
    struct element *e = current;
    current = NULL;
    e->busy = 0;
    pthread_cond_broadcast(&e->gone);
    pthread_mutex_unlock(&lock);
    free(e); //~ here
}

int main(void)
{
    struct element *e = calloc(1, sizeof *e);
    pthread_t t[2];
    if (e == NULL)
        return 1;
    pthread_cond_init(&e->gone, NULL);
    e->busy = 1;
    current = e;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, wait_gone, NULL);
    delete_it();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
