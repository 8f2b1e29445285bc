// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// One thread waits for what the other writes to a file.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value, to, from;

static void *one(void *arg)
{
    value = 1;
    if (write(to, "a", 1) != 1)
        return NULL;
    return arg;
}

static void *two(void *arg)
{
    char c;
    while (pread(from, &c, 1, 0) == 0)
        usleep(100);
    value = 2;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    to = open("file.tmp", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    from = open("file.tmp", O_RDONLY);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    unlink("file.tmp");
    return 0;
}
