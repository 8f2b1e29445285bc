/* A server thread accepts TCP connections of three client threads on loopback. */
//~ exit: 0
//~ stdout: served 3, sum of the answers 60
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 3 };

static struct sockaddr_in address;

static void *server(void *arg)
{
    int listener = *(int *)arg;
    intptr_t served = 0;
    for (int i = 0; i < CLIENTS; i++) {
        uint8_t number;
        int peer = accept(listener, NULL, NULL);
        if (recv(peer, &number, 1, MSG_WAITALL) == 1) {
            number = (uint8_t)(number * 10);
            served += send(peer, &number, 1, 0) == 1;
        }
        close(peer);
    }
    return (void *)served;
}

static void *client(void *arg)
{
    uint8_t number = (uint8_t)*(int *)arg, answer = 0;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, &number, 1, 0) == 1 && recv(fd, &answer, 1, MSG_WAITALL) == 1)
        *(int *)arg = answer;
    close(fd);
    return NULL;
}

int main(void)
{
    pthread_t s, c[CLIENTS];
    int number[CLIENTS] = {1, 2, 3}, sum = 0;
    socklen_t length = sizeof address;
    void *served;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK); /* port 0: any that is free */
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, CLIENTS) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return 1;
    pthread_create(&s, NULL, server, &listener);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&c[i], NULL, client, &number[i]);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(c[i], NULL);
        sum += number[i];
    }
    pthread_join(s, &served);
    printf("served %d, sum of the answers %d\n", (int)(intptr_t)served, sum);
    return 0;
}
