// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Death tests: children that are to end by a signal.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void *serve(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        served++;
        pthread_mutex_unlock(&lock);
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

static void dies_by_abort(void)
{
    must(work() == 77);
}

static void dies_by_signal(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static int dies(void (*statement)(void), int by)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        statement();
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == by;
}

int main(void)
{
    int passed = dies(dies_by_abort, SIGABRT) + dies(dies_by_signal, SIGSEGV);
    printf("%d passed\n", passed);
    return passed != 2;
}
