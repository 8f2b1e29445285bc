// SPDX-License-Identifier: Apache-2.0
//~ check: race|order|atomicity
// A receiver with a short time-out counts until it is told to stop; its count is read before it
// has.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int fd, count;
static atomic_int stop;

static void *receiver(void *arg)
{
    char c;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (!atomic_load(&stop))
        if (poll(&p, 1, 20) == 1 && recv(fd, &c, 1, MSG_DONTWAIT) == 1)
            count++; //~ here
    return arg;
}

int main(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    must(bind(fd, (struct sockaddr *)&name, sizeof name) == 0);
    must(getsockname(fd, (struct sockaddr *)&name, &size) == 0);
    pthread_t t;
    pthread_create(&t, NULL, receiver, NULL);
    for (int i = 0; i < 2; i++)
        must(sendto(fd, "x", 1, 0, (struct sockaddr *)&name, sizeof name) == 1);
    atomic_store(&stop, 1);
    int seen = count; //~ here
    pthread_join(t, NULL);
    puts(seen <= 2 ? "stopped" : "too many");
    return seen > 2;
}
