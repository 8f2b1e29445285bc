// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A signal handler wakes the loop through a pipe; the level was changed before the signal was
// sent.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2], level;
static pthread_t loop;

static void on_signal(int number)
{
    int saved = errno;
    (void)number;
    if (write(ends[1], "s", 1) != 1)
        abort();
    errno = saved;
}

static void *changer(void *arg)
{
    level = 7;
    pthread_kill(loop, SIGUSR1);
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct pollfd p = {.events = POLLIN};
    char c;
    if (pipe(ends) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        return 2;
    p.fd = ends[0];
    loop = pthread_self();
    pthread_t t;
    pthread_create(&t, NULL, changer, NULL);
    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    if (read(ends[0], &c, 1) != 1)
        return 3;
    printf("level %d\n", level); //~ here
    pthread_join(t, NULL);
    return 0;
}
