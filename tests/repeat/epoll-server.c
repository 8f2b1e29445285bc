// SPDX-License-Identifier: Apache-2.0
// An epoll loop takes lines from clients and gives them to two workers; each adds the line's
// number to a sum and answers with it. The line "end" ends the server.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { PORT = 7090, JOBS = 64, WORKERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct job {
    int fd, number;
} jobs[JOBS];
static int made, taken, sum, ended;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (taken == made && !ended)
            pthread_cond_wait(&more, &lock);
        if (taken == made)
            break;
        struct job j = jobs[taken++ % JOBS];
        sum += j.number;
        pthread_mutex_unlock(&lock);
        if (dprintf(j.fd, "ok %d\n", j.number) < 0)
            abort();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static int listen_there(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 4) != 0)
        exit(2);
    return fd;
}

static void watch(int set, int fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &e);
}

/* False: the line said that it is over. */
static int serve(int set, int fd)
{
    char text[256];
    ssize_t n = read(fd, text, sizeof text - 1);
    if (n <= 0) {
        epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL);
        return 1;
    }
    text[n] = 0;
    pthread_mutex_lock(&lock);
    for (char *rest, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        ended |= strcmp(line, "end") == 0;
        if (!ended)
            jobs[made++ % JOBS] = (struct job){fd, atoi(line)};
    }
    pthread_cond_broadcast(&more);
    int goes_on = !ended;
    pthread_mutex_unlock(&lock);
    return goes_on;
}

int main(void)
{
    pthread_t t[WORKERS];
    int door = listen_there(), set = epoll_create1(0), goes_on = 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    watch(set, door);
    while (goes_on) {
        struct epoll_event e[8];
        int n = epoll_wait(set, e, 8, -1);
        for (int i = 0; i < n && goes_on; i++)
            if (e[i].data.fd == door)
                watch(set, accept(door, NULL, NULL));
            else
                goes_on = serve(set, e[i].data.fd);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    printf("sum %d\n", sum);
    return 0;
}
