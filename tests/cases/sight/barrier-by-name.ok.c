// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Threads meet at a barrier by a function that was looked up by name.
#include <dlfcn.h>
#include <pthread.h>

static int (*meet)(pthread_barrier_t *);
static pthread_barrier_t half;
static int parts[2], sum;

static void *work(void *arg)
{
    parts[1] = 4;
    meet(&half);
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
    sum = parts[0] + parts[1];
    pthread_join(t, NULL);
    return sum != 7;
}
