/* A lock that is tried, and an atomic flag. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    int busy = pthread_mutex_trylock(&m);
    int seen = flag;
    if (!busy)
        pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 10 + 2 * !!busy + seen;
}
