/* Two wait, one is woken: which? */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting;

static void *wait_and_exit(void *arg)
{
    pthread_mutex_lock(&m);
    waiting++;
    pthread_cond_wait(&c, &m);
    exit(*(int *)arg);
}

int main(void)
{
    static int names[2] = {1, 2};
    pthread_t t;
    pthread_create(&t, NULL, wait_and_exit, &names[0]);
    pthread_create(&t, NULL, wait_and_exit, &names[1]);
    pthread_mutex_lock(&m);
    if (waiting < 2)
        exit(0);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 3;
}
