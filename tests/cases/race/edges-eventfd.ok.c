// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The loop is woken behind what it is to see.
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int value, event;

static void *one(void *arg)
{
    value = 1;
    eventfd_write(event, 1);
    return arg;
}

static void *two(void *arg)
{
    eventfd_t sum;
    eventfd_read(event, &sum);
    value = 2;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    event = eventfd(0, 0);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    return 0;
}
