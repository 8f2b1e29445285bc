// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each thread polls an array of its own.
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static void *listener(void *arg)
{
    struct pollfd shared[1] = {{.fd = *(int *)arg, .events = POLLIN}};
    int n = poll(shared, 1, 100); //~ here
    return n == 1 ? arg : NULL;
}

int main(void)
{
    int ends[2];
    pthread_t t;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&t, NULL, listener, &ends[0]);
    struct pollfd mine[1] = {{.fd = ends[0], .events = POLLIN | POLLPRI}};
    poll(mine, 1, 0);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(t, NULL);
    return 0;
}
