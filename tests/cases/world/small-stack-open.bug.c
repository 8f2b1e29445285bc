// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Threads with the smallest stack that is allowed open a file and count without a lock.
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int opened;

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
    pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], &a, serve, NULL) != 0)
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&lock);
    int n = opened;
    pthread_mutex_unlock(&lock);
    return n > 3;
}
