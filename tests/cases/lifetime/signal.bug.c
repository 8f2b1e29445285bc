// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free A B
// The waiter needs no signal if it comes late: then the signal is sent to freed memory.
#include <pthread.h>
#include <stdlib.h>

struct call {
    pthread_mutex_t m;
    pthread_cond_t c;
    int done;
};

static void *answer(void *arg)
{
    struct call *call = arg;
    pthread_mutex_lock(&call->m);
    call->done = 1;
    pthread_mutex_unlock(&call->m);
    pthread_cond_signal(&call->c); //~ A
    return NULL;
}

int main(void)
{
    struct call *call = malloc(sizeof *call);
    pthread_t t;
    pthread_mutex_init(&call->m, NULL);
    pthread_cond_init(&call->c, NULL);
    call->done = 0;
    pthread_create(&t, NULL, answer, call);
    pthread_mutex_lock(&call->m);
    while (!call->done)
        pthread_cond_wait(&call->c, &call->m);
    pthread_mutex_unlock(&call->m);
    free(call); //~ B
    pthread_join(t, NULL);
    return 0;
}
