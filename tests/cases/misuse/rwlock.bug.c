// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A B
// Who did not get the lock for reading unlocks all the same; the last unlock is of a free one.
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
    pthread_rwlock_tryrdlock(&l);
    pthread_rwlock_unlock(&l); //~ A
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_rwlock_wrlock(&l); //~ B
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    return 0;
}
