// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who reads an event descriptor hears of all that was written to it.
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int value, other, event;

static void *one(void *arg)
{
    value++;
    eventfd_write(event, 1);
    return arg;
}

static void *two(void *arg)
{
    other++;
    eventfd_write(event, 1);
    return arg;
}

static void *three(void *arg)
{
    eventfd_t sum = 0, got;
    while (sum < 2) {
        eventfd_read(event, &got);
        sum += got;
    }
    value += other;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_t loop;
    event = eventfd(0, 0);
    pthread_create(&loop, NULL, three, NULL);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(loop, NULL);
    printf("%d\n", value);
    return 0;
}
