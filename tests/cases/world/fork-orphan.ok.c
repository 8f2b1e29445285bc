// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A child outlives its parent, and goes to work then.
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

int main(void)
{
    int ends[2];
    char c;
    must(pipe(ends) == 0);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        close(ends[1]);
        must(read(ends[0], &c, 1) == 0); /* its parent is gone */
        _exit(work() > 6);
    }
    puts("gone");
    return 0;
}
