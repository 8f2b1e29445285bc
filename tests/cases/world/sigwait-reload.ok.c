// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread waits for SIGHUP with sigwait and reloads the setting under the lock of its readers.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static sigset_t mask;
static struct {
    int low, high;
} range = {1, 2};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reloader(void *arg)
{
    int number;
    sigwait(&mask, &number);
    pthread_mutex_lock(&lock);
    range.low = 11;  //~ here
    range.high = 12; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *user(void *arg)
{
    pthread_mutex_lock(&lock);
    int width = range.high - range.low; //~ here
    pthread_mutex_unlock(&lock);
    *(int *)arg = width;
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    int width = 0;
    sigemptyset(&mask);
    sigaddset(&mask, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    pthread_create(&t, NULL, reloader, NULL);
    pthread_create(&u, NULL, user, &width);
    pthread_kill(t, SIGHUP);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("width %d\n", width);
    return width != 1;
}
