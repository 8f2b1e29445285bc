// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The loop is woken behind what it is to see.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value, ends[2];

static void *one(void *arg)
{
    value = 1;
    if (write(ends[1], "a", 1) != 1)
        return NULL;
    return arg;
}

static void *two(void *arg)
{
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    while (poll(&p, 1, 10) == 0)
        continue;
    value = 2;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    if (pipe(ends) < 0)
        return 1;
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    return 0;
}
