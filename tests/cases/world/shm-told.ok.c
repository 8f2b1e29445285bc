// SPDX-License-Identifier: Apache-2.0
// Memory that is shared by a name is a file: who finds it by the one way comes behind who made
// it by the other.
//~ check: quiet
//~ options: --all
//~ libs: -lrt
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    data = 42;
    if (shm_open("/told-ok-twin-of-shm", O_CREAT | O_EXCL | O_RDWR, 0600) < 0)
        abort();
    return arg;
}

static void *get_it(void *arg)
{
    while (access("/dev/shm/told-ok-twin-of-shm", R_OK) != 0)
        sched_yield();
    seen = data; //~ here
    return arg;
}

int main(void)
{
    pthread_t s, g;
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    shm_unlink("/told-ok-twin-of-shm");
    return seen != 42;
}
