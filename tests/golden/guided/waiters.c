/* Three wait; a signal wakes one of them, and later a broadcast the others. Who goes first? */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int order;

static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    order = order * 10 + *(int *)arg;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int names[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, waits, &names[i]);
    usleep(1000); /* everybody waits */
    pthread_cond_signal(&c);
    usleep(1000);
    pthread_cond_broadcast(&c);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", order);
    return 0;
}
