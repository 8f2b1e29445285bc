// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// That the other end is closed comes after what was done before.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value, ends[2];

static void *one(void *arg)
{
    value = 1;
    close(ends[1]);
    return arg;
}

static void *two(void *arg)
{
    char c;
    if (read(ends[0], &c, 1) != 0)
        return NULL;
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
