// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A buffer is written out while another thread fills it for the next time.
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char page[128];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *arg)
{
    pthread_mutex_lock(&lock);
    memset(page, 'x', sizeof page); //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int fd = open("/dev/null", O_WRONLY);
    if (fd < 0 || pthread_create(&t, NULL, fill, NULL) != 0)
        return 1;
    if (write(fd, page, sizeof page) < 0) //~ here
        return 1;
    pthread_join(t, NULL);
    close(fd);
    return 0;
}
