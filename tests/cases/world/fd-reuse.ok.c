// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A log is closed under the lock that its writers take, and its number forgotten.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static atomic_int log_fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *logger(void *arg)
{
    pthread_mutex_lock(&lock);
    int fd = atomic_load(&log_fd);
    if (fd >= 0)
        must(write(fd, "log\n", 4) != 0);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *rotate(void *arg)
{
    pthread_mutex_lock(&lock);
    close(atomic_load(&log_fd));
    atomic_store(&log_fd, -1);
    pthread_mutex_unlock(&lock);
    int fd = open("data", O_CREAT | O_TRUNC | O_RDWR, 0600);
    *(int *)arg = fd;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int data = -1;
    atomic_store(&log_fd, open("log", O_CREAT | O_TRUNC | O_WRONLY, 0600));
    pthread_create(&a, NULL, logger, NULL);
    pthread_create(&b, NULL, rotate, &data);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    long size = lseek(data, 0, SEEK_END);
    printf("data has %ld bytes\n", size);
    return size != 0;
}
