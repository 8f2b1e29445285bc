/* The wait may end by the signal, or by time: it is a short one. The clock of a run begins at
 * 1735689600. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int x;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec when = {1735689600, 100000000};
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&m);
    int late = pthread_cond_timedwait(&c, &m, &when) != 0;
    int seen = x;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 10 + 2 * late + seen;
}
