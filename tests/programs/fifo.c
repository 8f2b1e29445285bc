// SPDX-License-Identifier: Apache-2.0
// A named pipe between two threads: each waits in open for the other, and fopen does too.
//~ stdout: got 10 numbers, sum 45, then the end
//~ stdout: got a line: hello
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64], other[64];

static void *writer(void *arg)
{
    int fd = open(path, O_WRONLY);
    for (int i = 0; i < 10; i++)
        if (write(fd, &i, sizeof i) != sizeof i)
            abort();
    close(fd);
    FILE *f = fopen(other, "w");
    fputs("hello\n", f);
    fclose(f);
    return arg;
}

int main(void)
{
    pthread_t t;
    char line[32] = "";
    int value, sum = 0, count = 0;
    snprintf(path, sizeof path, "/tmp/heddle-fifo-%d", getpid());
    snprintf(other, sizeof other, "%s-2", path);
    mkfifo(path, 0600);
    mkfifo(other, 0600);
    pthread_create(&t, NULL, writer, NULL);
    int fd = open(path, O_RDONLY);
    while (count < 10 && read(fd, &value, sizeof value) == sizeof value)
        sum += value, count++;
    int ended = read(fd, &value, sizeof value) == 0;
    printf("got %d numbers, sum %d, then %s\n", count, sum, ended ? "the end" : "more");
    FILE *f = fopen(other, "r");
    if (fgets(line, sizeof line, f))
        printf("got a line: %s", line);
    fclose(f);
    close(fd);
    pthread_join(t, NULL);
    unlink(path);
    unlink(other);
    return 0;
}
