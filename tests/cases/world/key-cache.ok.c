// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Caches of threads go back to a common list when the thread ends, by a key's destructor.
#include <pthread.h>
#include <stdlib.h>

struct cache {
    struct cache *next;
    int used;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cache *idle;
static int given_back;

static void give_back(void *p)
{
    struct cache *c = p;
    pthread_mutex_lock(&lock);
    c->next = idle;
    idle = c;
    given_back++;
    pthread_mutex_unlock(&lock);
}

static void make(void)
{
    pthread_key_create(&key, give_back);
}

static struct cache *mine(void)
{
    pthread_once(&once, make);
    struct cache *c = pthread_getspecific(key);
    if (c == NULL) {
        pthread_mutex_lock(&lock);
        if ((c = idle) != NULL)
            idle = c->next;
        pthread_mutex_unlock(&lock);
        if (c == NULL)
            c = calloc(1, sizeof *c);
        pthread_setspecific(key, c);
    }
    return c;
}

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++)
        mine()->used++;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    int sum = 0;
    for (struct cache *c = idle; c != NULL; c = c->next)
        sum += c->used;
    return sum != 9 || given_back != 3;
}
