/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * A child goes on natively with the lock its thread held; system works. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    pid_t pid = fork();
    if (pid == 0) {
        int busy = pthread_mutex_trylock(&m) == EBUSY;
        pthread_mutex_unlock(&m);
        int free = pthread_mutex_trylock(&m) == 0;
        _exit(busy && free ? 7 : 8);
    }
    int status;
    pthread_mutex_unlock(&m);
    assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(system("exit 3") == 3 << 8);
    return 0;
}
