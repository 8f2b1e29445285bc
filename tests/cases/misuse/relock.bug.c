// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A lock is taken for writing by the thread that has it: glibc refuses, nobody looks.
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int total;

static void add(int n)
{
    pthread_rwlock_wrlock(&l); //~ A
    total += n;
}

static void *thread(void *arg)
{
    pthread_rwlock_wrlock(&l);
    add(1);
    pthread_rwlock_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return total == 0;
}
