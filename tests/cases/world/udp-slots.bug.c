// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// Two senders announce a slot by datagram, and fill it only then.
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

static struct sockaddr_in name = {.sin_family = AF_INET};
static int slot[2];

static void *sender(void *arg)
{
    char which = (char)(long)arg;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    must(sendto(fd, &which, 1, 0, (struct sockaddr *)&name, sizeof name) == 1);
    slot[(int)which] = which + 1; //~ here
    close(fd);
    return NULL;
}

int main(void)
{
    socklen_t size = sizeof name;
    pthread_t t[2];
    int sum = 0, fd = socket(AF_INET, SOCK_DGRAM, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(bind(fd, (struct sockaddr *)&name, sizeof name) == 0);
    must(getsockname(fd, (struct sockaddr *)&name, &size) == 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sender, (void *)i);
    for (int i = 0; i < 2; i++) {
        char which;
        must(recv(fd, &which, 1, 0) == 1);
        sum += slot[(int)which]; //~ here
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("sum %d\n", sum);
    return sum != 3;
}
