// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Forty processes, three children each; some count with two threads and no lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int served;

static void *serve(void *arg)
{
    for (int i = 0; i < 3; i++) {
        served++; //~ here
    }
    return arg;
}

static int work(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return served;
}

static int grow(int depth)
{
    int sum = 1, status;
    for (int i = 0; depth > 0 && i < 3; i++) {
        pid_t child = fork();
        must(child >= 0);
        if (child == 0)
            _exit(grow(depth - 1));
    }
    if (depth == 1)
        work();
    while (wait(&status) > 0)
        sum += WEXITSTATUS(status);
    return sum;
}

int main(void)
{
    int sum = grow(3);
    printf("%d\n", sum);
    return sum != 40;
}
