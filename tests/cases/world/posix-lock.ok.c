// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Locks of fcntl belong to the process; a mutex beside them keeps the threads apart.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int balance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *arg)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open("balance.lock", O_RDWR | O_CREAT, 0600);
    pthread_mutex_lock(&lock);
    must(fcntl(fd, F_SETLKW, &range) == 0);
    balance += 10; //~ here
    range.l_type = F_UNLCK;
    must(fcntl(fd, F_SETLK, &range) == 0);
    pthread_mutex_unlock(&lock);
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, deposit, NULL);
    pthread_create(&b, NULL, deposit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("balance %d\n", balance);
    return balance != 20;
}
