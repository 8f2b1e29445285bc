// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A server forks a worker for each client; a worker counts with two threads.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
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

static void client(const struct sockaddr_in *where)
{
    char answer;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(fd, (const struct sockaddr *)where, sizeof *where) == 0);
    must(write(fd, "q", 1) == 1 && read(fd, &answer, 1) == 1);
    _exit(answer == 'a' ? 0 : 1);
}

static void worker(int fd)
{
    char question;
    must(read(fd, &question, 1) == 1);
    int n = work();
    must(write(fd, "a", 1) == 1);
    _exit(n > 6);
}

int main(void)
{
    struct sockaddr_in where = {.sin_family = AF_INET};
    socklen_t len = sizeof where;
    int status, listener = socket(AF_INET, SOCK_STREAM, 0);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(bind(listener, (struct sockaddr *)&where, sizeof where) == 0);
    must(listen(listener, 4) == 0);
    must(getsockname(listener, (struct sockaddr *)&where, &len) == 0);
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            client(&where);
    for (int i = 0; i < 2; i++) {
        int fd = accept(listener, NULL, NULL);
        must(fd >= 0);
        if (fork() == 0)
            worker(fd);
        close(fd);
    }
    int failed = 0;
    for (int i = 0; i < 4; i++)
        failed += wait(&status) < 0 || status != 0;
    printf("%d failed\n", failed);
    return failed;
}
