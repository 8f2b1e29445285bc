// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// What was written goes to the log, to a terminal, and is read again by the system.
#define _GNU_SOURCE
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <syslog.h>
#include <termios.h>
#include <fcntl.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int logged;

static void *tell(void *arg)
{
    int from = 42, to = 0;
    struct iovec source = {&from, sizeof from}, target = {&to, sizeof to};
    syslog(LOG_DEBUG, "%d: %m", from);
    tcdrain(*(int *)arg);
    if (process_vm_readv(getpid(), &target, 1, &source, 1, 0) != sizeof to || to != from)
        abort();
    pthread_mutex_lock(&lock);
    logged++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0)
        return 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, tell, &terminal);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    close(terminal);
    return logged > 2;
}
