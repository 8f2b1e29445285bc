/* One frees what the other reads. */
#include <pthread.h>
#include <stdlib.h>

static int *p;

static void *work(void *arg)
{
    int *mine = p;
    if (mine)
        *mine = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    p = malloc(sizeof *p);
    pthread_create(&t, NULL, work, NULL);
    *p = 1;
    int seen = *p;
    free(p);
    p = NULL;
    pthread_join(t, NULL);
    return seen;
}
