// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A thread does its part behind the barrier, which was looked up by name.
#include <dlfcn.h>
#include <pthread.h>

static int (*meet)(pthread_barrier_t *);
static pthread_barrier_t half;
static int parts[2], sum;

static void *work(void *arg)
{
    meet(&half);
    parts[1] = 4; //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    void *threads = dlopen("libpthread.so.0", RTLD_LAZY);
    if (!threads)
        return 1;
    *(void **)&meet = dlsym(threads, "pthread_barrier_wait");
    pthread_barrier_init(&half, NULL, 2);
    pthread_create(&t, NULL, work, NULL);
    parts[0] = 3;
    meet(&half);
    sum = parts[0] + parts[1]; //~ here
    pthread_join(t, NULL);
    return sum == 0;
}
