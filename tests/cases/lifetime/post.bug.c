// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free A B
// The flag says that it is done, and then comes the post.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct call {
    sem_t done;
    atomic_int result;
};

static void *answer(void *arg)
{
    struct call *call = arg;
    call->result = 3;
    sem_post(&call->done); //~ A
    return NULL;
}

int main(void)
{
    struct call *call = malloc(sizeof *call);
    pthread_t t;
    sem_init(&call->done, 0, 0);
    call->result = 0;
    pthread_create(&t, NULL, answer, call);
    if (call->result == 0)
        sem_wait(&call->done);
    free(call); //~ B
    pthread_join(t, NULL);
    return 0;
}
