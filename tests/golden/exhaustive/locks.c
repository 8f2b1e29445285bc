/* Two locks in two orders, and what was counted under them. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *work(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    x = x * 3 + 1;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    x = x * 3 + 2;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(t, NULL);
    return x;
}
