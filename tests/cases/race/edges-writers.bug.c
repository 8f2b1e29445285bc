// SPDX-License-Identifier: Apache-2.0
//~ expect: race A A
// Two threads wake a loop by the same event descriptor, which does not order them.
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int value, event;

static void *one(void *arg)
{
    eventfd_write(event, 1);
    value++; //~ A
    eventfd_write(event, 1);
    return arg;
}

#define two one

int main(void)
{
    pthread_t t[2];
    event = eventfd(0, 0);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    eventfd_t sum;
    eventfd_read(event, &sum);
    return 0;
}
