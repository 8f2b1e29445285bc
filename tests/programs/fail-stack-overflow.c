/* A thread with a small stack recurses until it runs into its guard page. */
//~ outcome: crash 11
//~ stdout: falling
#include <pthread.h>
#include <stdio.h>

static volatile int bottom = -1; /* never reached */

static int fall(int depth)
{
    volatile char frame[1000];
    frame[depth % 1000] = (char)depth;
    return depth == bottom ? depth : fall(depth + 1) + frame[depth % 1000];
}

static void *work(void *arg)
{
    *(int *)arg = fall(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attr;
    int depth = 0;
    puts("falling");
    fflush(stdout);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 * 1024);
    pthread_create(&t, &attr, work, &depth);
    pthread_join(t, NULL);
    printf("unreachable %d\n", depth);
    return 0;
}
