// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A caller waits for an answer in its own variable; who answers signals before it can go on.
#include <pthread.h>

struct answer {
    pthread_mutex_t lock;
    pthread_cond_t there;
    int value;
};

static void *reply(void *arg)
{
    struct answer *a = arg;
    pthread_mutex_lock(&a->lock);
    a->value = 42;
    pthread_cond_signal(&a->there);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

__attribute__((noinline)) static int ask(void)
{
    struct answer a = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t t;
    pthread_create(&t, NULL, reply, &a);
    pthread_detach(t);
    pthread_mutex_lock(&a.lock);
    while (a.value == 0)
        pthread_cond_wait(&a.there, &a.lock);
    pthread_mutex_unlock(&a.lock);
    return a.value;
}

int main(void)
{
    return ask() != 42;
}
