// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity|order|use-after-free|failure|assertion
// What belongs to a descriptor is found by its number, and used after that was closed.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FDS = 64 };

static void must(int holds)
{
    if (!holds)
        abort();
}

static struct session {
    int *words;
    int count;
} sessions[FDS];

static void *serve(void *arg)
{
    for (int round = 0; round < 2; round++) {
        int fd = open("/dev/null", O_RDWR);
        must(fd >= 0 && fd < FDS);
        free(sessions[fd].words);                    //~ here
        sessions[fd].words = calloc(2, sizeof(int)); //~ here
        sessions[fd].count = 0;                      //~ here
        for (int i = 0; i < 2; i++)
            sessions[fd].words[sessions[fd].count++] = i; //~ here
        must(close(fd) == 0);
        must(sessions[fd].count == 2 && sessions[fd].words[1] == 1); //~ here
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < FDS; i++)
        free(sessions[i].words);
    puts("served");
    return 0;
}
