// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ client: ./talk tcp 7091 '0>go' '0<done' '1>next' '1<42'
// Two guests talk to a thread each; the second one speaks when the first one has its answer.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int found;

static void *find(void *arg)
{
    int fd = *(int *)arg;
    char line[64];
    if (read(fd, line, sizeof line) > 0)
        found = 42;
    if (write(fd, "done\n", 5) < 0)
        perror("write");
    close(fd);
    return NULL;
}

static void *tell(void *arg)
{
    int fd = *(int *)arg, n = 0;
    char line[64];
    if (read(fd, line, sizeof line) > 0)
        n = snprintf(line, sizeof line, "%d\n", found);
    if (write(fd, line, (size_t)n) < 0)
        perror("write");
    close(fd);
    return NULL;
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7091)};
    int door = socket(AF_INET, SOCK_STREAM, 0), one = 1, guests[2];
    pthread_t threads[2];
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(door, (struct sockaddr *)&at, sizeof at) < 0 || listen(door, 8) < 0)
        return 2;
    for (int i = 0; i < 2; i++) {
        guests[i] = accept(door, NULL, NULL);
        pthread_create(&threads[i], NULL, i ? tell : find, &guests[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
