// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A descriptor is closed under the lock under which another thread tests and writes to it.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static int log_fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *log_line(void *arg)
{
    pthread_mutex_lock(&lock);
    if (log_fd >= 0)
        if (write(log_fd, "line\n", 5) < 0) //~ here
            arg = NULL;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    struct stat s;
    pthread_t t;
    log_fd = open("log.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (log_fd < 0 || pthread_create(&t, NULL, log_line, &s) != 0)
        return 1;
    pthread_mutex_lock(&lock);
    close(log_fd); //~ here
    log_fd = -1;
    pthread_mutex_unlock(&lock);
    int data = open("data.bin", O_CREAT | O_TRUNC | O_WRONLY, 0600); //~ here
    pthread_join(t, NULL);
    assert(fstat(data, &s) == 0 && s.st_size == 0); //~ here
    close(data);
    return 0;
}
