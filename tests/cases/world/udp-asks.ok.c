// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ outside: exec ./talk serve 7088 4
// Two threads ask a server outside by datagrams, one of them over a connected socket,
// and count the answers.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct sockaddr_in server = {.sin_family = AF_INET};
static int answers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *ask(void *connected)
{
    struct sockaddr_in to = server, from, peer;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    to.sin_port = htons(7088);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connected && connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        abort();
    for (int i = 0; i < 2; i++) {
        char text[64] = "";
        socklen_t len = sizeof from, peer_len = sizeof peer;
        ssize_t n = connected ? send(fd, "name", 4, 0)
                              : sendto(fd, "name", 4, 0, (struct sockaddr *)&to, sizeof to);
        if (n != 4 || recvfrom(fd, text, sizeof text, 0, (struct sockaddr *)&from, &len) != 8)
            abort();
        if (strcmp(text, "re: name") != 0 || from.sin_port != to.sin_port ||
            from.sin_addr.s_addr != to.sin_addr.s_addr)
            abort();
        if (connected && (getpeername(fd, (struct sockaddr *)&peer, &peer_len) < 0 ||
                          peer.sin_port != to.sin_port))
            abort();
        pthread_mutex_lock(&lock);
        answers++;
        pthread_mutex_unlock(&lock);
    }
    close(fd);
    return connected;
}

int main(void)
{
    pthread_t threads[2];
    usleep(300000);
    pthread_create(&threads[0], NULL, ask, NULL);
    pthread_create(&threads[1], NULL, ask, &answers);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    printf("%d answers\n", answers);
    pthread_mutex_unlock(&lock);
    return 0;
}
