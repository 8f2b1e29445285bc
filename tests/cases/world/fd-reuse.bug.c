// SPDX-License-Identifier: Apache-2.0
//~ check: failure
// A log is closed while another thread still writes to its number, which a data file may have
// got by then.
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

static void *logger(void *arg)
{
    int fd = atomic_load(&log_fd);
    if (fd >= 0)
        must(write(fd, "log\n", 4) != 0);
    return arg;
}

static void *rotate(void *arg)
{
    close(atomic_load(&log_fd));
    int fd = open("data", O_CREAT | O_TRUNC | O_RDWR, 0600);
    atomic_store(&log_fd, -1);
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
