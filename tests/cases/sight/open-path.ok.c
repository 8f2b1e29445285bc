// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A copy of the path, made under the lock, is opened.
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/dev/null";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *choose(void *arg)
{
    pthread_mutex_lock(&lock);
    memcpy(path + 5, "zero", 4); //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, choose, NULL);
    char mine[sizeof path];
    pthread_mutex_lock(&lock);
    memcpy(mine, path, sizeof mine);
    pthread_mutex_unlock(&lock);
    int fd = open(mine, O_RDONLY);
    pthread_join(t, NULL);
    if (fd >= 0)
        close(fd);
    return 0;
}
