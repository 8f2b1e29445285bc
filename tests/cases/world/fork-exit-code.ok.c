// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each thread starts a child and adds its exit code, under a lock.
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

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *job(void *arg)
{
    int status, code = (int)(long)arg;
    pid_t child = fork();
    if (child == 0)
        _exit(code);
    must(waitpid(child, &status, 0) == child && WIFEXITED(status));
    pthread_mutex_lock(&lock);
    sum += WEXITSTATUS(status); //~ here
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, job, (void *)(i + 3));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return sum != 7;
}
