// SPDX-License-Identifier: Apache-2.0
//~ check: deadlock
// In a child two threads take two locks in both orders.
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

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void move(pthread_mutex_t *a, pthread_mutex_t *b)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    moved++;
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}

static void *forth(void *arg)
{
    move(&first, &second);
    return arg;
}

static void *back(void *arg)
{
    move(&second, &first);
    return arg;
}

int main(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        pthread_t a, b;
        pthread_create(&a, NULL, forth, NULL);
        pthread_create(&b, NULL, back, NULL);
        pthread_join(a, NULL);
        pthread_join(b, NULL);
        _exit(moved);
    }
    must(waitpid(child, &status, 0) == child);
    printf("%d\n", WEXITSTATUS(status));
    return WEXITSTATUS(status) != 2;
}
