// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A thread ends a child and stores why; another one reaps it and reads that, stored too late.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static pid_t child;
static int why;

static void *killer(void *arg)
{
    kill(child, SIGTERM);
    why = 4; //~ here
    return arg;
}

static void *reaper(void *arg)
{
    int status;
    must(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    printf("ended for reason %d\n", why); //~ here
    return arg;
}

int main(void)
{
    child = fork();
    if (child == 0) {
        for (;;)
            pause();
    }
    pthread_t a, b;
    pthread_create(&a, NULL, killer, NULL);
    pthread_create(&b, NULL, reaper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
