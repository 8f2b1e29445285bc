// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
//~ client: ./talk tcp 7071 '0>add 1' '1>add 1' '2>add 1' '0<ok' '1<ok' '2<ok' '0>total' '0<3'
// A thread for each connection; they add to one sum and nobody locks it.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int sum;

static void answer(int fd, const char *line)
{
    char text[32] = "ok\n";
    if (strncmp(line, "add ", 4) == 0) {
        sum += atoi(line + 4); //~ here
    } else {
        snprintf(text, sizeof text, "%d\n", sum);
    }
    if (write(fd, text, strlen(text)) < 0)
        perror("write");
}

static void *talk(void *arg)
{
    int fd = (int)(long)arg;
    char line[64];
    ssize_t n;
    while ((n = read(fd, line, sizeof line - 1)) > 0) {
        line[n] = 0;
        answer(fd, line);
    }
    close(fd);
    return NULL;
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7071)};
    int door = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(door, (struct sockaddr *)&at, sizeof at) < 0 || listen(door, 8) < 0)
        return 2;
    for (;;) {
        pthread_t thread;
        int guest = accept(door, NULL, NULL);
        if (guest >= 0 && pthread_create(&thread, NULL, talk, (void *)(long)guest) == 0)
            pthread_detach(thread);
    }
}
