/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory handed over through a pair of sockets: who reads it cannot come before who filled
 * it in. */
//~ expect: nothing
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static int ends[2];

static void *maker(void *unused)
{
    int *made = malloc(sizeof *made);
    (void)unused;
    *made = 7;
    if (send(ends[1], &made, sizeof made, 0) != sizeof made)
        abort();
    return NULL;
}

static void *taker(void *unused)
{
    int *got;
    (void)unused;
    if (recv(ends[0], &got, sizeof got, 0) != sizeof got)
        abort();
    printf("%d\n", *got);
    free(got);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        abort();
    pthread_create(&threads[0], NULL, maker, NULL);
    pthread_create(&threads[1], NULL, taker, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
