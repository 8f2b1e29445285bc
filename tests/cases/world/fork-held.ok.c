// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread forks while another one may hold a lock; the child only starts another program.
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *hold(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *start(void *arg)
{
    int status;
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, hold, NULL);
    pthread_create(&b, NULL, start, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", n);
    return n != 3;
}
