// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A thread is joined while the table is read, and it only reads there, too.
#include <pthread.h>
#include <sched.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_unlock(&table);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    sched_yield();
    pthread_rwlock_rdlock(&table);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&table);
    return 0;
}
