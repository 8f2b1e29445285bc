// SPDX-License-Identifier: Apache-2.0
//~ check: misuse
// A reader that could not get the lock at once unlocks it all the same.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4];

static void *look(void *arg)
{
    int got = pthread_rwlock_tryrdlock(&lock) == 0;
    *(int *)arg = got ? table[2] : -1;
    pthread_rwlock_unlock(&lock); //~ here
    return NULL;
}

int main(void)
{
    int seen = 0;
    pthread_t t;
    pthread_rwlock_wrlock(&lock);
    table[2] = 7;
    pthread_create(&t, NULL, look, &seen);
    pthread_join(t, NULL);
    table[3] = 8;
    pthread_rwlock_unlock(&lock);
    return seen != -1;
}
