// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// An epoll loop hands connections to workers; each counts the bytes of all under the lock.

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2, WORKERS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs[8], job_count, over, bytes;
static unsigned short port;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!job_count && !over)
            pthread_cond_wait(&more, &lock);
        if (!job_count) {
            pthread_mutex_unlock(&lock);
            return arg;
        }
        int fd = jobs[--job_count];
        pthread_mutex_unlock(&lock);
        char text[16];
        int n = (int)read(fd, text, sizeof text);
        must(n > 0 && write(fd, text, (size_t)n) == n);
        pthread_mutex_lock(&lock);
        bytes += n;
        pthread_mutex_unlock(&lock);
        close(fd);
    }
}

static void *client(void *arg)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = port};
    char back[16];
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    must(write(fd, "hello", 5) == 5 && read(fd, back, sizeof back) == 5);
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t w[WORKERS], c[CLIENTS];
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int door = socket(AF_INET, SOCK_STREAM, 0), set = epoll_create1(0);
    must(bind(door, (struct sockaddr *)&at, sizeof at) == 0 && listen(door, 8) == 0);
    must(getsockname(door, (struct sockaddr *)&at, &len) == 0);
    port = at.sin_port;
    struct epoll_event e = {.events = EPOLLIN, .data.fd = door};
    must(epoll_ctl(set, EPOLL_CTL_ADD, door, &e) == 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&w[i], NULL, work, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&c[i], NULL, client, NULL);
    for (int taken = 0; taken < CLIENTS;) {
        must(epoll_wait(set, &e, 1, -1) == 1);
        int fd = accept(e.data.fd, NULL, NULL);
        must(fd >= 0);
        pthread_mutex_lock(&lock);
        jobs[job_count++] = fd;
        taken++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(c[i], NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(w[i], NULL);
    return bytes > 5 * CLIENTS;
}
