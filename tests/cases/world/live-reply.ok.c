// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ client: ./talk tcp 7074 '0>a' '0<done' '0>b' '0<done'
// One thread reads requests, another one answers them.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int wanted, guest;

static void *answer(void *arg)
{
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (wanted == 0)
            pthread_cond_wait(&more, &lock);
        wanted--;
        pthread_mutex_unlock(&lock);
        if (write(guest, "done\n", 5) < 0)
            perror("write");
    }
}

int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7074)};
    int door = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    pthread_t thread;
    char line[64];
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(door, (struct sockaddr *)&at, sizeof at) < 0 || listen(door, 8) < 0)
        return 2;
    pthread_create(&thread, NULL, answer, NULL);
    guest = accept(door, NULL, NULL);
    while (read(guest, line, sizeof line) > 0) {
        pthread_mutex_lock(&lock);
        wanted++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
