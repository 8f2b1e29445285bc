// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock A B
// A thread is joined while the table is read, and it wants to write there.
#include <pthread.h>
#include <sched.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&table); //~ B
    pthread_rwlock_unlock(&table);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    sched_yield();
    pthread_rwlock_rdlock(&table);
    pthread_join(t, NULL); //~ A
    pthread_rwlock_unlock(&table);
    return 0;
}
