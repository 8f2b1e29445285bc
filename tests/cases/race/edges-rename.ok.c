// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A file comes to be under the name that the other thread waits for.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value;

static void *one(void *arg)
{
    value = 1;
    rename("was.tmp", "is.tmp");
    return arg;
}

static void *two(void *arg)
{
    while (access("is.tmp", F_OK) != 0)
        usleep(100);
    value = 2;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    unlink("is.tmp");
    close(open("was.tmp", O_CREAT | O_WRONLY, 0600));
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    unlink("is.tmp");
    return 0;
}
