// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two threads lock by functions that were looked up by name, each another mutex.
#include <dlfcn.h>
#include <pthread.h>

static int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
static pthread_mutex_t guards[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int total, first = 0, second = 1;

static void *add(void *which)
{
    for (int i = 0; i < 2; i++) {
        lock(&guards[*(int *)which]);
        total += i; //~ here
        unlock(&guards[*(int *)which]);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    void *libc = dlopen("libc.so.6", RTLD_LAZY);
    if (!libc)
        return 1;
    *(void **)&lock = dlsym(libc, "pthread_mutex_lock");
    *(void **)&unlock = dlsym(libc, "pthread_mutex_unlock");
    pthread_create(&a, NULL, add, &first);
    pthread_create(&b, NULL, add, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return total > 2;
}
