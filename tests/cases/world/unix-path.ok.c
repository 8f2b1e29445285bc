// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A client connects to a server's socket in the file system when the server says that it
// listens.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "server.sock"};
static sem_t listening;

static void *server(void *arg)
{
    char c;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    must(bind(fd, (struct sockaddr *)&name, sizeof name) == 0 && listen(fd, 1) == 0);
    sem_post(&listening);
    int client = accept(fd, NULL, NULL);
    must(read(client, &c, 1) == 1);
    close(client);
    close(fd);
    return arg;
}

int main(void)
{
    unlink(name.sun_path);
    sem_init(&listening, 0, 0);
    pthread_t t;
    pthread_create(&t, NULL, server, NULL);
    sem_wait(&listening);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&name, sizeof name) != 0) {
        perror("connect");
        return 1;
    }
    must(write(fd, "x", 1) == 1);
    pthread_join(t, NULL);
    unlink(name.sun_path);
    puts("served");
    return 0;
}
