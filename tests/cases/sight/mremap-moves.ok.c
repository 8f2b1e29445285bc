// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A mapping is moved to a larger place under the lock under which it is written.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

static long *log_area;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *append(void *arg)
{
    pthread_mutex_lock(&lock);
    log_area[5] = 5; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    log_area = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *far = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (log_area == MAP_FAILED || far == MAP_FAILED)
        return 1;
    pthread_create(&t, NULL, append, NULL);
    pthread_mutex_lock(&lock);
    void *moved = mremap(log_area, 4096, 65536, MREMAP_MAYMOVE | MREMAP_FIXED, far); //~ here
    if (moved != MAP_FAILED)
        log_area = moved; //~ here
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return moved == MAP_FAILED;
}
