/* Whoever comes last to the barrier is told so. */
#include <pthread.h>

static pthread_barrier_t b;
static int last;

static void *work(void *arg)
{
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        last = *(int *)arg;
    return arg;
}

int main(void)
{
    static int names[2] = {1, 2};
    pthread_t t;
    pthread_barrier_init(&b, NULL, 2);
    pthread_create(&t, NULL, work, &names[0]);
    work(&names[1]);
    pthread_join(t, NULL);
    return last;
}
