// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The server's port is chosen by the system; the client waits on a condition until it is known.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static in_port_t port;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t known = PTHREAD_COND_INITIALIZER;

static void *server(void *arg)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(fd, (struct sockaddr *)&name, sizeof name) == 0 && listen(fd, 1) == 0);
    must(getsockname(fd, (struct sockaddr *)&name, &size) == 0);
    pthread_mutex_lock(&lock);
    port = name.sin_port; //~ here
    pthread_cond_signal(&known);
    pthread_mutex_unlock(&lock);
    int client = accept(fd, NULL, NULL);
    must(write(client, "hi", 2) == 2);
    close(client);
    close(fd);
    return arg;
}

int main(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    char answer[3] = "";
    pthread_t t;
    pthread_create(&t, NULL, server, NULL);
    pthread_mutex_lock(&lock);
    while (port == 0)
        pthread_cond_wait(&known, &lock);
    name.sin_port = port;
    pthread_mutex_unlock(&lock);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&name, sizeof name) != 0) {
        perror("connect");
        return 1;
    }
    must(read(fd, answer, 2) == 2);
    pthread_join(t, NULL);
    puts(answer);
    return 0;
}
