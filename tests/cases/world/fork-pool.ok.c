// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Workers are forked before the clients come, and ended by a signal.
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
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

static void worker(int listener)
{
    char question;
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        must(fd >= 0 && read(fd, &question, 1) == 1);
        work();
        must(write(fd, "a", 1) == 1);
        close(fd);
    }
}

int main(void)
{
    struct sockaddr_in where = {.sin_family = AF_INET};
    socklen_t len = sizeof where;
    char answer;
    pid_t pool[2];
    int right = 0, listener = socket(AF_INET, SOCK_STREAM, 0);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(bind(listener, (struct sockaddr *)&where, sizeof where) == 0);
    must(listen(listener, 4) == 0);
    must(getsockname(listener, (struct sockaddr *)&where, &len) == 0);
    for (int i = 0; i < 2; i++) {
        pool[i] = fork();
        if (pool[i] == 0)
            worker(listener);
    }
    for (int i = 0; i < 3; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(fd, (struct sockaddr *)&where, sizeof where) == 0);
        must(write(fd, "q", 1) == 1 && read(fd, &answer, 1) == 1);
        right += answer == 'a';
        close(fd);
    }
    for (int i = 0; i < 2; i++) {
        kill(pool[i], SIGTERM);
        must(waitpid(pool[i], NULL, 0) == pool[i]);
    }
    printf("%d answers\n", right);
    return right != 3;
}
