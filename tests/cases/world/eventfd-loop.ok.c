// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two workers wake an event loop by an eventfd; what they add to is under one lock.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int wake, done, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    uint64_t one = 1;
    pthread_mutex_lock(&lock);
    sum += *(int *)arg;
    done++;
    pthread_mutex_unlock(&lock);
    must(write(wake, &one, sizeof one) == sizeof one);
    return NULL;
}

static void loop(void)
{
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    must(epoll_ctl(set, EPOLL_CTL_ADD, wake, &event) == 0);
    for (int finished = 0; finished < 2;) {
        uint64_t count;
        must(epoll_wait(set, &event, 1, -1) == 1);
        must(read(wake, &count, sizeof count) == sizeof count);
        pthread_mutex_lock(&lock);
        finished = done;
        pthread_mutex_unlock(&lock);
    }
    close(set);
}

int main(void)
{
    int parts[2] = {1, 2};
    pthread_t t[2];
    wake = eventfd(0, EFD_NONBLOCK);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &parts[i]);
    loop();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("sum %d\n", sum);
    return sum != 3;
}
