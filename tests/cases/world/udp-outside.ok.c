// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ outside: ./talk udp 7083 '5>hi' '5<hi' '0>a' '1>b' '0>stop' '1>stop' '5>go' '0<a' '1<b'
// Two clients outside send datagrams to one socket; two threads echo and count them.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd, served;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int open_at(unsigned short port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    int made = socket(AF_INET, SOCK_DGRAM, 0);
    return bind(made, (struct sockaddr *)&at, sizeof at) < 0 ? -1 : made;
}

/* What comes is sent back to where it comes from. */
static int echo_one(int on)
{
    struct sockaddr_in from;
    socklen_t len = sizeof from;
    char text[64];
    ssize_t n = recvfrom(on, text, sizeof text, 0, (struct sockaddr *)&from, &len);
    if (n <= 0 || strncmp(text, "stop", 4) == 0)
        return 0;
    return sendto(on, text, (size_t)n, 0, (struct sockaddr *)&from, len) == n;
}

static void *echo(void *arg)
{
    while (echo_one(fd)) {
        pthread_mutex_lock(&lock);
        served++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    struct sockaddr_in from;
    socklen_t len = sizeof from;
    pthread_t threads[2];
    char text[8];
    int control = open_at(7084);
    fd = open_at(7083);
    if (fd < 0 || control < 0 || !echo_one(control))
        return 2;
    if (recvfrom(control, text, sizeof text, 0, (struct sockaddr *)&from, &len) != 3)
        return 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, echo, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    printf("%d served\n", served);
    pthread_mutex_unlock(&lock);
    close(fd);
    return 0;
}
