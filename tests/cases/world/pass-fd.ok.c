// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A descriptor goes through a socket pair; what belongs to it is filled in before.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], owner;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void send_fd(int fd)
{
    char c = 'f', room[CMSG_SPACE(sizeof fd)];
    struct iovec v = {&c, 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    memset(room, 0, sizeof room);
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    must(sendmsg(ends[0], &m, 0) == 1);
}

static void *receive(void *arg)
{
    int fd;
    char c, room[CMSG_SPACE(sizeof fd)];
    struct iovec v = {&c, 1};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    must(recvmsg(ends[1], &m, 0) == 1);
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    must(h && h->cmsg_type == SCM_RIGHTS);
    memcpy(&fd, CMSG_DATA(h), sizeof fd);
    must(write(fd, &c, 1) == 1);
    close(fd);
    return owner == 7 ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    int p[2];
    char c;
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && pipe(p) == 0);
    pthread_create(&t, NULL, receive, NULL);
    owner = 7;
    send_fd(p[1]);
    close(p[1]);
    must(read(p[0], &c, 1) == 1 && c == 'f');
    pthread_join(t, NULL);
    return 0;
}
