// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// What is no mutex is refused, by all calls as glibc does it; a mutex that was destroyed, too.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m, gone;

static void expect(int e)
{
    if (e != EINVAL)
        abort();
}

static void *thread(void *arg)
{
    struct timespec never = {0};
    expect(pthread_mutex_lock(&m)); //~ A
    expect(pthread_mutex_trylock(&m));
    expect(pthread_mutex_timedlock(&m, &never));
    expect(pthread_mutex_unlock(&m));
    expect(pthread_mutex_lock(&gone));
    return arg;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_t t;
    memset(&kind, 0xff, sizeof kind);
    if (pthread_mutex_init(&m, &kind) == 0)
        abort();
    memset(&m, 0x55, sizeof m);
    pthread_mutex_init(&gone, NULL);
    pthread_mutex_destroy(&gone);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
