// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The loop is woken behind what it is to see.
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int value, ends[2];

static void *one(void *arg)
{
    value = 1;
    if (send(ends[1], "a", 1, 0) != 1)
        return NULL;
    return arg;
}

static void *two(void *arg)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    select(ends[0] + 1, &set, NULL, NULL, NULL);
    value = 2;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0)
        return 1;
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    return 0;
}
