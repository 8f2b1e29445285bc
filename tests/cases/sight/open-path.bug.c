// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A path is opened while another thread writes its last letter.
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
    int fd = open(path, O_RDONLY); //~ here
    pthread_join(t, NULL);
    if (fd >= 0)
        close(fd);
    return 0;
}
