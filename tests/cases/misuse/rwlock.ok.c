// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Several readers, a writer, and a try that fails.
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int n;

static void *reader(void *arg)
{
    if (pthread_rwlock_tryrdlock(&l) == 0) {
        int seen = n;
        pthread_rwlock_rdlock(&l);
        pthread_rwlock_unlock(&l);
        pthread_rwlock_unlock(&l);
        return seen ? arg : NULL;
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    pthread_rwlock_wrlock(&l);
    n = 1;
    pthread_rwlock_unlock(&l);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_rwlock_destroy(&l);
    pthread_rwlock_init(&l, NULL);
    pthread_rwlock_destroy(&l);
    return 0;
}
