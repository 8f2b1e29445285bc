// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// Boxes are handed over through a pair of sockets
// (send, recv), which is right; what both count besides is not.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static int ends[2];
static int handled;

static void *produce(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int *box = malloc(sizeof *box);
        *box = i;
        if (send(ends[1], &box, sizeof box, 0) != sizeof box)
            abort();
    }
    handled++; //~ A
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int *box;
        if (recv(ends[0], &box, sizeof box, 0) != sizeof box)
            abort();
        *box += 1;
        free(box);
    }
    handled++; //~ B
    return arg;
}

int main(void)
{
    pthread_t t[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return 1;
    pthread_create(&t[0], NULL, produce, NULL);
    pthread_create(&t[1], NULL, consume, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", handled);
    return 0;
}
