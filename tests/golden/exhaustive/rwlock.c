/* A writer and a reader of a read-write lock. */
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x, seen;

static void *writes(void *arg)
{
    pthread_rwlock_wrlock(&l);
    x++;
    pthread_rwlock_unlock(&l);
    return arg;
}

static void *reads(void *arg)
{
    pthread_rwlock_rdlock(&l);
    seen = x;
    pthread_rwlock_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writes, NULL);
    reads(NULL);
    pthread_join(t, NULL);
    return 10 + seen;
}
