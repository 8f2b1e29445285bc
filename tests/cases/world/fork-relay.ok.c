// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A child passes on what one thread says to another one: that it is ready.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int to[2], from[2], ready, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *says(void *arg)
{
    ready = 1;
    must(write(to[1], "x", 1) == 1);
    pthread_mutex_lock(&lock);
    other++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *hears(void *arg)
{
    char c;
    must(read(from[0], &c, 1) == 1);
    if (!ready)
        printf("not yet\n");
    pthread_mutex_lock(&lock);
    other++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    char c;
    must(pipe(to) == 0 && pipe(from) == 0);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        must(read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1);
        _exit(0);
    }
    pthread_create(&a, NULL, says, NULL);
    pthread_create(&b, NULL, hears, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    must(waitpid(child, NULL, 0) == child);
    return other != 2;
}
