// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads append lines with O_APPEND: their order differs, no line is lost.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *logger(void *arg)
{
    int fd = open("log", O_WRONLY | O_APPEND);
    for (int i = 0; i < 2; i++) {
        must(write(fd, arg, 2) == 2);
    }
    close(fd);
    return NULL;
}

int main(void)
{
    char text[64];
    pthread_t t[2];
    close(open("log", O_CREAT | O_TRUNC | O_WRONLY, 0600));
    pthread_create(&t[0], NULL, logger, "a\n");
    pthread_create(&t[1], NULL, logger, "b\n");
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int fd = open("log", O_RDONLY);
    ssize_t n = read(fd, text, sizeof text);
    must(n >= 0 && write(1, text, (size_t)n) == n);
    return n != 8;
}
