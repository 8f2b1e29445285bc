// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Workers answer an epoll loop by an eventfd; how busy they are is told without a lock.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { JOBS = 6, WORKERS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs[JOBS], first, last, closed, answers[JOBS], answered, done_fd;
static int busy;

static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (first == last && !closed)
            pthread_cond_wait(&more, &lock);
        if (first == last)
            break;
        int job = jobs[first++];
        pthread_mutex_unlock(&lock);
        busy++; //~ here
        int answer = job * job;
        busy--; //~ here
        pthread_mutex_lock(&lock);
        answers[answered++] = answer;
        pthread_mutex_unlock(&lock);
        uint64_t one = 1;
        if (write(done_fd, &one, sizeof one) != sizeof one)
            return NULL;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static int collect(int epoll)
{
    int sum = 0, got = 0;
    while (got < JOBS) {
        struct epoll_event e;
        uint64_t n;
        if (epoll_wait(epoll, &e, 1, -1) != 1 || read(done_fd, &n, sizeof n) != sizeof n)
            return -1;
        pthread_mutex_lock(&lock);
        while (got < answered)
            sum += answers[got++];
        pthread_mutex_unlock(&lock);
    }
    return sum;
}

int main(void)
{
    pthread_t t[WORKERS];
    int epoll = epoll_create1(0);
    done_fd = eventfd(0, 0);
    struct epoll_event e = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, done_fd, &e);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&lock);
        jobs[last++] = i;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    int sum = collect(epoll);
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return sum != 55;
}
