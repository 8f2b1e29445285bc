/* Threads talk over stream and datagram socket pairs with send, recv, sendmsg and shutdown. */
//~ exit: 0
//~ stdout: echoed HELLO FROM MAIN, end seen yes
//~ stdout: datagrams keep their borders: 3 1 5
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int stream[2], datagram[2], end_seen;

static void *shout(void *arg)
{
    char byte;
    ssize_t n;
    while ((n = recv(stream[1], &byte, 1, 0)) == 1) {
        byte = (char)toupper((unsigned char)byte);
        if (send(stream[1], &byte, 1, 0) != 1)
            break;
    }
    end_seen = n == 0;
    shutdown(stream[1], SHUT_WR);
    return arg;
}

static void *send_three(void *arg)
{
    struct iovec parts[2] = {{"ab", 2}, {"cde", 3}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (send(datagram[1], "abc", 3, 0) == 3 && send(datagram[1], "d", 1, 0) == 1)
        sendmsg(datagram[1], &message, 0);
    return arg;
}

int main(void)
{
    pthread_t t, s;
    char text[64] = "", buffer[16];
    const char *words = "hello from main";
    size_t got = 0;
    ssize_t n, size[3];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, stream) != 0 ||
        socketpair(AF_UNIX, SOCK_DGRAM, 0, datagram) != 0)
        return 1;
    pthread_create(&t, NULL, shout, NULL);
    pthread_create(&s, NULL, send_three, NULL);
    if (send(stream[0], words, strlen(words), 0) != (ssize_t)strlen(words))
        return 1;
    shutdown(stream[0], SHUT_WR);
    while ((n = recv(stream[0], text + got, sizeof text - 1 - got, 0)) > 0)
        got += (size_t)n;
    for (int i = 0; i < 3; i++)
        size[i] = recv(datagram[0], buffer, sizeof buffer, 0);
    pthread_join(t, NULL);
    pthread_join(s, NULL);
    printf("echoed %s, end seen %s\n", text, end_seen ? "yes" : "no");
    printf("datagrams keep their borders: %zd %zd %zd\n", size[0], size[1], size[2]);
    return 0;
}
