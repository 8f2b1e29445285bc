/* Each test runs in a child, as test harnesses do. BUG: one of them has a race. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *add(void *arg)
{
    for (int i = 0; i < 5; i++) {
#ifndef BUG
        pthread_mutex_lock(&m);
#endif
        n++;
#ifndef BUG
        pthread_mutex_unlock(&m);
#endif
    }
    return arg;
}

static int test_sum(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n != 10;
}

static int test_nothing(void)
{
    return n != 0;
}

static int run(int (*test)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        exit(test());
    waitpid(pid, &status, 0);
    return status != 0;
}

int main(void)
{
    int failed = run(test_nothing) + run(test_sum) + run(test_nothing);
    printf("%d failed\n", failed);
    return failed != 0;
}
