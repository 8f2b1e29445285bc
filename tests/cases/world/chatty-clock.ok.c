// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two ends of a socket pair, 30000 bytes one by one, and a look at the clock before each: that
// is no waiting for the clock, however often one looks. The answers are counted
// under a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 30000, LIMIT_S = 10 };

static int ends[2], answers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        answers++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void talk(void)
{
    time_t start = time(NULL);
    char byte = 'x';
    for (int i = 0; i < BYTES; i++) {
        if (time(NULL) - start > LIMIT_S) {
            fprintf(stderr, "byte %d is late\n", i);
            exit(1);
        }
        if (write(ends[0], &byte, 1) != 1 || read(ends[1], &byte, 1) != 1)
            exit(2);
    }
}

int main(void)
{
    pthread_t t;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    talk();
    pthread_create(&t, NULL, count, NULL);
    count(NULL);
    pthread_join(t, NULL);
    printf("%d\n", answers);
    return 0;
}
