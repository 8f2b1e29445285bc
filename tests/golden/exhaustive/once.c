/* One of two runs the once routine. */
#include <pthread.h>

static pthread_once_t o = PTHREAD_ONCE_INIT;
static __thread int name;
static int who;

static void first(void)
{
    who = name;
}

static void *work(void *arg)
{
    name = *(int *)arg;
    pthread_once(&o, first);
    return arg;
}

int main(void)
{
    static int names[2] = {1, 2};
    pthread_t t;
    pthread_create(&t, NULL, work, &names[0]);
    work(&names[1]);
    int seen = who;
    pthread_join(t, NULL);
    return seen;
}
