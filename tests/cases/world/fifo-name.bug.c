// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A FIFO with a name: opening both ends meets, but what is stored behind the open is not
// ordered by it.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int greeting;

static void *talker(void *arg)
{
    int fd = open("talk.fifo", O_WRONLY);
    greeting = 1; //~ here
    must(write(fd, "g", 1) == 1);
    close(fd);
    return arg;
}

static void *hearer(void *arg)
{
    char c;
    int fd = open("talk.fifo", O_RDONLY);
    int seen = greeting; //~ here
    must(read(fd, &c, 1) == 1);
    close(fd);
    *(int *)arg = seen;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int seen = 0;
    unlink("talk.fifo");
    must(mkfifo("talk.fifo", 0600) == 0);
    pthread_create(&a, NULL, talker, NULL);
    pthread_create(&b, NULL, hearer, &seen);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unlink("talk.fifo");
    puts("they met");
    return seen > 1;
}
