// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A thread waits in tee for what main writes later; another in preadv2. Both count.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static int a[2], b[2], c[2], count;

static void counted(void)
{
    count++; //~ here
}

static void *copies(void *arg)
{
    if (tee(a[0], b[1], 1, 0) != 1)
        abort();
    counted();
    return arg;
}

static void *reads(void *arg)
{
    char byte;
    struct iovec v = {&byte, 1};
    if (preadv2(c[0], &v, 1, -1, 0) != 1)
        abort();
    counted();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    char byte = 'x';
    struct iovec v = {&byte, 1};
    if (pipe(a) || pipe(b) || pipe(c))
        return 2;
    pthread_create(&t[0], NULL, copies, NULL);
    pthread_create(&t[1], NULL, reads, NULL);
    if (write(a[1], &byte, 1) != 1 || pwritev2(c[1], &v, 1, -1, 0) != 1)
        return 3;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (read(b[0], &byte, 1) != 1 || byte != 'x')
        return 4;
    return count != 2;
}
