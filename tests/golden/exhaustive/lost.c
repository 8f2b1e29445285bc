/* Two increments, one may get lost. */
#include <pthread.h>

static int x;

static void *work(void *arg)
{
    x++;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return x;
}
