// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A child sums up what it reads from its parent, with two threads and a lock.
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

static int to_child[2], to_parent[2], sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
    int n;
    while (read(to_child[0], &n, sizeof n) == sizeof n) {
        pthread_mutex_lock(&lock);
        sum += n; //~ here
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void child(void)
{
    close(to_child[1]);
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    must(write(to_parent[1], &sum, sizeof sum) == sizeof sum);
    _exit(0);
}

int main(void)
{
    int result;
    must(pipe(to_child) == 0 && pipe(to_parent) == 0);
    pid_t pid = fork();
    if (pid == 0)
        child();
    for (int i = 1; i <= 4; i++)
        must(write(to_child[1], &i, sizeof i) == sizeof i);
    close(to_child[1]);
    must(read(to_parent[0], &result, sizeof result) == sizeof result);
    must(waitpid(pid, NULL, 0) == pid);
    printf("%d\n", result);
    return result != 10;
}
