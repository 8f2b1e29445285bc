/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * Semaphores: ping-pong, try, timed, value, named. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>
static sem_t ping, pong;
static int turn;

static void *other(void *arg)
{
    for (int i = 0; i < 30; i++) {
        sem_wait(&ping);
        assert(R(turn) == 2 * i + 1);
        W(turn, R(turn) + 1);
        sem_post(&pong);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int value;
    struct timespec when;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 30; i++) {
        W(turn, R(turn) + 1);
        sem_post(&ping);
        sem_wait(&pong);
    }
    pthread_join(t, NULL);
    assert(sem_trywait(&ping) == -1 && errno == EAGAIN);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec++;
    assert(sem_timedwait(&ping, &when) == -1 && errno == ETIMEDOUT);
    when.tv_nsec = -1;
    assert(sem_timedwait(&ping, &when) == -1 && errno == EINVAL);
    sem_post(&ping);
    sem_post(&ping);
    assert(sem_getvalue(&ping, &value) == 0 && value == 2);
    sem_t *named = sem_open("/heddle-rt-test", O_CREAT, 0600, 1);
    assert(named != SEM_FAILED && sem_wait(named) == 0 && sem_trywait(named) == -1);
    sem_close(named);
    sem_unlink("/heddle-rt-test");
    return sem_destroy(&ping) | sem_destroy(&pong);
}
