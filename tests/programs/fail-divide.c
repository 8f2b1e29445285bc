/* A thread divides by a number that another thread has made zero. */
//~ outcome: crash 8
//~ stdout: now it is zero
#include <pthread.h>
#include <stdio.h>

static volatile int divisor = 4, quotient;

static void *make_zero(void *arg)
{
    divisor = 0;
    puts("now it is zero");
    fflush(stdout);
    return arg;
}

static void *divide(void *arg)
{
    quotient = 100 / divisor;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, make_zero, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, divide, NULL);
    pthread_join(t, NULL);
    printf("unreachable %d\n", quotient);
    return 0;
}
