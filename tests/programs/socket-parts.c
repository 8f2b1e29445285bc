// SPDX-License-Identifier: Apache-2.0
// More than a socket or pipe takes at once, by each call that writes, to a thread that reads.
//~ stdout: send 300000 sendmsg 300000 writev 300000 as sent
//~ stdout: nothing there: EAGAIN, and EAGAIN after a while
//~ stdout: peeked and read abc
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BYTES = 300000 };
static int pair[2], ends[2];
static char sent[BYTES];

static void *writer(void *arg)
{
    struct iovec parts[3] = {
        {sent, 1000}, {sent + 1000, 150000}, {sent + 151000, BYTES - 151000}};
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = 3};
    long n[3] = {send(pair[0], sent, BYTES, 0), sendmsg(pair[0], &m, 0),
                 writev(ends[1], parts, 3)};
    printf("send %ld sendmsg %ld writev %ld ", n[0], n[1], n[2]);
    return arg;
}

static int same(const char *got)
{
    return memcmp(got, sent, BYTES) == 0;
}

int main(void)
{
    pthread_t t;
    char *got = malloc(BYTES), few[4] = "", again[4] = "";
    struct timeval span = {0, 1000};
    int right = 0;
    for (int i = 0; i < BYTES; i++)
        sent[i] = (char)(i * 7 + i / 256);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    if (pipe(ends) < 0)
        return 1;
    pthread_create(&t, NULL, writer, NULL);
    right += recv(pair[1], got, BYTES, MSG_WAITALL) == BYTES && same(got);
    memset(got, 0, BYTES);
    right += recv(pair[1], got, BYTES, MSG_WAITALL) == BYTES && same(got);
    for (size_t n = 0; n < BYTES;)
        n += (size_t)read(ends[0], got + n, BYTES - n);
    right += same(got);
    pthread_join(t, NULL);
    puts(right == 3 ? "as sent" : "not as sent");
    int now = recv(pair[1], few, 3, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span);
    int late = recv(pair[1], few, 3, 0) < 0 && errno == EAGAIN;
    printf("nothing there: %s, and %s after a while\n", now ? "EAGAIN" : "?",
           late ? "EAGAIN" : "?");
    send(pair[0], "abc", 3, 0);
    recv(pair[1], few, 3, MSG_PEEK);
    recv(pair[1], again, 3, 0);
    printf("peeked and read %s\n", strcmp(few, again) ? "two things" : again);
    return 0;
}
