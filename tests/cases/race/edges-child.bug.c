// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// The child is killed before what that tells of.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int value;
static pid_t child;

static void *one(void *arg)
{
    kill(child, SIGTERM);
    value = 1; //~ A
    return arg;
}

static void *two(void *arg)
{
    int status;
    waitpid(child, &status, 0);
    value = 2; //~ B
    return arg;
}

int main(void)
{
    pthread_t t[2];
    child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    return 0;
}
