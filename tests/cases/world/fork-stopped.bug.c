// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Children are stopped, one by itself, and let go on; two threads that do so count them without
// a lock.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *follow(void *by_itself)
{
    int ends[2], status;
    must(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        if (by_itself)
            raise(SIGSTOP);
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 1 ? 7 : 8);
    }
    close(ends[0]);
    if (!by_itself)
        must(kill(child, SIGSTOP) == 0);
    must(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    must(kill(child, SIGCONT) == 0);
    must(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
    must(write(ends[1], "x", 1) == 1);
    must(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    close(ends[1]);
    ended++; //~ here
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, follow, NULL);
    follow(&t);
    pthread_join(t, NULL);
    pthread_mutex_lock(&lock);
    printf("%d\n", ended);
    pthread_mutex_unlock(&lock);
    return ended > 2;
}
