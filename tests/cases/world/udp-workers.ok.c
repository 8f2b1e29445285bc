// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ outside: ./talk udp 7086 '0>set a' '0<ok' '1>set b' '0>get' '0<' '1<ok' '1>quit' '1<bye'
// One thread waits by epoll for datagrams, which it takes by recvmsg and gives to a worker;
// the worker answers by sendmsg.
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct job {
    struct sockaddr_in from;
    char text[64];
    size_t len;
    struct job *next;
};
static struct job *jobs;
static int fd;
static char *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void answer(struct sockaddr_in *to, const char *text)
{
    struct iovec v = {(char *)text, strlen(text)};
    struct msghdr m = {
        .msg_name = to, .msg_namelen = sizeof *to, .msg_iov = &v, .msg_iovlen = 1};
    sendmsg(fd, &m, 0);
}

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!jobs)
            pthread_cond_wait(&more, &lock);
        struct job *j = jobs;
        jobs = j->next;
        pthread_mutex_unlock(&lock);
        int quits = strncmp(j->text, "quit", 4) == 0;
        if (strncmp(j->text, "set ", 4) == 0) {
            pthread_mutex_lock(&guard);
            free(last);
            last = strdup(j->text + 4);
            pthread_mutex_unlock(&guard);
            answer(&j->from, "ok\n");
        } else if (quits) {
            answer(&j->from, "bye\n");
        }
        free(j);
        if (quits)
            return arg;
    }
}

static int take(void)
{
    char text[64] = "";
    struct job *j = calloc(1, sizeof *j);
    struct iovec v = {j->text, sizeof j->text - 1};
    struct msghdr m = {
        .msg_name = &j->from, .msg_namelen = sizeof j->from, .msg_iov = &v, .msg_iovlen = 1};
    if (recvmsg(fd, &m, 0) < 0) {
        free(j);
        return 1;
    }
    if (strncmp(j->text, "get", 3) == 0) {
        pthread_mutex_lock(&guard);
        strncpy(text, last ? last : "-\n", sizeof text - 1);
        pthread_mutex_unlock(&guard);
        answer(&j->from, text);
        free(j);
        return 1;
    }
    int quits = strncmp(j->text, "quit", 4) == 0;
    pthread_mutex_lock(&lock);
    struct job **end = &jobs;
    while (*end)
        end = &(*end)->next;
    *end = j;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    return !quits;
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7086)};
    struct epoll_event e = {.events = EPOLLIN};
    int set = epoll_create1(0);
    pthread_t worker;
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
        epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) < 0)
        return 2;
    pthread_create(&worker, NULL, work, NULL);
    do
        epoll_wait(set, &e, 1, -1);
    while (take());
    pthread_join(worker, NULL);
    free(last);
    return 0;
}
