// SPDX-License-Identifier: Apache-2.0
//~ check: deadlock|failure
// A thread waits for a byte while it holds the lock that the sender needs first.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2], total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *receiver(void *arg)
{
    char c;
    usleep(20000);
    pthread_mutex_lock(&lock);
    must(read(ends[0], &c, 1) == 1);
    total += c;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *sender(void *arg)
{
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    must(write(ends[1], "\5", 1) == 1);
    return arg;
}

int main(void)
{
    must(pipe(ends) == 0);
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", total);
    return total != 6;
}
