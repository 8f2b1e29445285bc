// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// The end is closed too early.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value, ends[2];

static void *one(void *arg)
{
    close(ends[1]);
    value = 1; //~ A
    return arg;
}

static void *two(void *arg)
{
    char c;
    if (read(ends[0], &c, 1) != 0)
        return NULL;
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
