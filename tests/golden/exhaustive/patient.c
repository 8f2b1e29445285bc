/* The wait is for years: it ends by the signal, or because the signal came before it. */
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
    struct timespec when = {2000000000, 0};
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&m);
    int late = pthread_cond_timedwait(&c, &m, &when) != 0;
    int seen = x;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 10 + 2 * late + seen;
}
