// SPDX-License-Identifier: Apache-2.0
// The end of a pipe is passed through a socket, and used there.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int data, seen;
static int ends[2], way[2];

static void pass(int fd)
{
    char room[CMSG_SPACE(sizeof fd)] = {0}, byte = 'f';
    struct iovec text = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    if (sendmsg(way[0], &m, 0) != 1)
        abort();
}

static int passed(void)
{
    char room[CMSG_SPACE(sizeof(int))], byte;
    struct iovec text = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    int fd;
    if (recvmsg(way[1], &m, 0) != 1)
        abort();
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (write(passed(), "x", 1) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c;
    if (read(ends[0], &c, 1) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (pipe(ends) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, way) < 0)
        abort();
    pass(ends[1]);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}
