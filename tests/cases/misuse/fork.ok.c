// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Locks that are taken before a fork are given back on both sides.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void take(void)
{
    pthread_mutex_lock(&m);
}

static void give(void)
{
    pthread_mutex_unlock(&m);
}

static void *thread(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    int status = 1;
    pthread_atfork(take, give, give);
    pthread_create(&t, NULL, thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        thread(NULL);
        _exit(0);
    }
    waitpid(child, &status, 0);
    pthread_join(t, NULL);
    return status;
}
