// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity|failure
//~ libs: -lrt
// Shared memory with a name; its mutex is there, but one of its users forgot it.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

struct area {
    pthread_mutex_t lock;
    int count;
};

static struct area *attach(void)
{
    int fd = shm_open("/twin-of-area", O_RDWR, 0600);
    struct area *a = mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(a != MAP_FAILED);
    close(fd);
    return a;
}

static void *member(void *arg)
{
    struct area *a = arg;
    pthread_mutex_lock(&a->lock);
    a->count++; //~ here
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void *visitor(void *arg)
{
    struct area *a = arg;
    a->count++; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, t;
    int fd = shm_open("/twin-of-area", O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0) {
        perror("shm_open");
        return 2;
    }
    must(ftruncate(fd, 4096) == 0);
    close(fd);
    struct area *a = attach();
    pthread_mutex_init(&a->lock, NULL);
    pthread_create(&s, NULL, member, a);
    pthread_create(&t, NULL, visitor, a);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    shm_unlink("/twin-of-area");
    printf("%d\n", a->count);
    return a->count != 2;
}
