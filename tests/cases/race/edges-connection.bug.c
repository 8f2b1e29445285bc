// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// It is sent too early.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int value, listener;
static struct sockaddr_in here;

static void *one(void *arg)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&here, sizeof here) < 0 || send(fd, "a", 1, 0) != 1)
        return NULL;
    value = 1; //~ A
    return arg;
}

static void *two(void *arg)
{
    char c;
    int fd = accept(listener, NULL, NULL);
    if (recv(fd, &c, 1, 0) != 1)
        return NULL;
    value = 2; //~ B
    return arg;
}

int main(void)
{
    pthread_t t[2];
    socklen_t len = sizeof here;
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&here, len) < 0 || listen(listener, 1) < 0 ||
        getsockname(listener, (struct sockaddr *)&here, &len) < 0)
        return 1;
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    return 0;
}
