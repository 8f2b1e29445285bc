// SPDX-License-Identifier: Apache-2.0
//~ check: race
// poll writes into the array; another thread asks for something else in it meanwhile.
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static struct pollfd shared[1];

static void *listener(void *arg)
{
    int n = poll(shared, 1, 100); //~ here
    return n == 1 ? arg : NULL;
}

int main(void)
{
    int ends[2];
    pthread_t t;
    if (pipe(ends) != 0)
        return 1;
    shared[0].fd = ends[0];
    shared[0].events = POLLIN;
    pthread_create(&t, NULL, listener, &ends[0]);
    shared[0].events = POLLIN | POLLPRI; //~ here
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(t, NULL);
    return 0;
}
