/* A once function calls pthread_once on its own control, and waits for itself. */
//~ outcome: deadlock
//~ stdout: inside
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
    puts("inside");
    fflush(stdout);
    pthread_once(&once, init);
}

static void *work(void *arg)
{
    pthread_once(&once, init);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    puts("unreachable");
    return 0;
}
