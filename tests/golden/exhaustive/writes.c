/* Three threads write one variable three times each: 9! / (3! 3! 3!) = 1680 orders. */
#include <pthread.h>

static int x;

static void *work(void *arg)
{
    x = *(int *)arg;
    x = *(int *)arg;
    x = *(int *)arg;
    return NULL;
}

int main(void)
{
    static int names[3] = {1, 2, 3};
    pthread_t a, b, c;
    pthread_create(&a, NULL, work, &names[0]);
    pthread_create(&b, NULL, work, &names[1]);
    pthread_create(&c, NULL, work, &names[2]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return x;
}
