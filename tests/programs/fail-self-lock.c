/* A thread locks a normal mutex that it holds already, three calls deeper. */
//~ outcome: deadlock
//~ stdout: locked once
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void set(int to)
{
    pthread_mutex_lock(&m);
    value = to;
    pthread_mutex_unlock(&m);
}

static void reset(void)
{
    set(0);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    puts("locked once");
    fflush(stdout);
    if (value != 1)
        reset(); /* forgot that set locks too */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("unreachable %d\n", value);
    return 0;
}
