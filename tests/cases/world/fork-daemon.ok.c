// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A daemon: two forks, a session of its own, streams to /dev/null.
#include <fcntl.h>
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
    int status;
    pid_t child = fork();
    must(child >= 0);
    if (child > 0) {
        must(waitpid(child, &status, 0) == child);
        puts("started");
        return status != 0;
    }
    must(setsid() > 0);
    child = fork();
    must(child >= 0);
    if (child > 0)
        _exit(0);
    int fd = open("/dev/null", O_RDWR);
    must(fd >= 0 && dup2(fd, 0) == 0 && dup2(fd, 1) == 1 && dup2(fd, 2) == 2);
    _exit(work() > 6);
}
