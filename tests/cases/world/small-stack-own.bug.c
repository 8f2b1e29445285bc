// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Threads on stacks of the program's own, the smallest that are allowed, with something
// between them, open files.
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int opened;

static struct {
    char beside[4096];
    _Alignas(4096) char stack[16384];
} stacks[5];
static const char nothing[4096];

static void *serve(void *arg)
{
    int fd = open("/dev/null", O_RDONLY);
    opened += fd >= 0; //~ here
    if (fd >= 0)
        close(fd);
    return arg;
}

int main(void)
{
    pthread_attr_t a;
    pthread_t t[3];
    pthread_attr_init(&a);
    for (int i = 0; i < 3; i++)
        if (pthread_attr_setstack(&a, stacks[i].stack, sizeof stacks[i].stack) != 0 ||
            pthread_create(&t[i], &a, serve, NULL) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&lock);
    int n = opened;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 5; i++)
        if (memcmp(stacks[i].beside, nothing, sizeof nothing) != 0)
            return 2;
    return n > 3;
}
