// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// The loop is woken before what it is to see, which hearing of it must not hide.
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int value, event;

static void *one(void *arg)
{
    eventfd_write(event, 1);
    value = 1; //~ A
    return arg;
}

static void *two(void *arg)
{
    eventfd_t sum;
    eventfd_read(event, &sum);
    value = 2; //~ B
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
