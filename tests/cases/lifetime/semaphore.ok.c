// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who has waited for the post may end the semaphore: POSIX says so.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct call {
    sem_t done;
    int result;
};

static void *answer(void *arg)
{
    struct call *call = arg;
    call->result = 3;
    sem_post(&call->done);
    return NULL;
}

int main(void)
{
    struct call *call = malloc(sizeof *call);
    pthread_t t;
    sem_init(&call->done, 0, 0);
    pthread_create(&t, NULL, answer, call);
    sem_wait(&call->done);
    int result = call->result;
    sem_destroy(&call->done);
    free(call);
    pthread_join(t, NULL);
    return result - 3;
}
