// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ client: ./talk udp 7073 '0>a' '1>b' '0<a' '1<b' '0>count' '0<3' '0>stop' '1>stop'
// Two threads echo datagrams from one socket and count them, behind a mutex.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd, served;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *echo(void *arg)
{
    struct sockaddr_in from;
    char text[64];
    for (;;) {
        socklen_t len = sizeof from;
        ssize_t n = recvfrom(fd, text, sizeof text, 0, (struct sockaddr *)&from, &len);
        if (n <= 0 || strncmp(text, "stop", 4) == 0)
            return arg;
        pthread_mutex_lock(&lock);
        int now = ++served;
        pthread_mutex_unlock(&lock);
        if (strncmp(text, "count", 5) == 0)
            n = snprintf(text, sizeof text, "%d\n", now);
        sendto(fd, text, (size_t)n, 0, (struct sockaddr *)&from, len);
    }
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7073)};
    pthread_t threads[2];
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, echo, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    close(fd);
    return 0;
}
