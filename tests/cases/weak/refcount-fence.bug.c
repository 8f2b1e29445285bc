// SPDX-License-Identifier: Apache-2.0
//~ check: weak-race|race
// A count of references in C: released by all, and acquired by nobody.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    atomic_int users;
    int done[2];
};

static void drop(struct job *j)
{
    if (atomic_fetch_sub_explicit(&j->users, 1, memory_order_release) == 1) {
        printf("%d\n", j->done[0] + j->done[1]); //~ here
    }
}

static struct job *shared;

static void *work(void *arg)
{
    shared->done[arg != NULL] = 1; //~ here
    drop(shared);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    shared = calloc(1, sizeof *shared);
    atomic_init(&shared->users, 2);
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, &t);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    free(shared);
    return 0;
}
