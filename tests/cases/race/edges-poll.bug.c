// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// The loop is woken before what it is to see, which hearing of it must not hide.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value, ends[2];

static void *one(void *arg)
{
    if (write(ends[1], "a", 1) != 1)
        return NULL;
    value = 1; //~ A
    return arg;
}

static void *two(void *arg)
{
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    while (poll(&p, 1, 10) == 0)
        continue;
    value = 2; //~ B
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
