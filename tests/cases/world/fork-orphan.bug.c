// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A child outlives its parent, and counts then with two threads and no lock.
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

int main(void)
{
    int ends[2];
    char c;
    must(pipe(ends) == 0);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        close(ends[1]);
        must(read(ends[0], &c, 1) == 0); /* its parent is gone */
        _exit(work() > 6);
    }
    puts("gone");
    return 0;
}
