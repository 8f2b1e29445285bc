/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0
 * A pipe between threads: the reader waits outside while the writer goes on. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static int sum;

static void *reader(void *arg)
{
    char c;
    while (read(ends[0], &c, 1) == 1)
        W(sum, R(sum) + c);
    return arg;
}

int main(void)
{
    pthread_t t;
    assert(pipe(ends) == 0);
    pthread_create(&t, NULL, reader, NULL);
    for (char c = 1; c <= 50; c++) {
        assert(write(ends[1], &c, 1) == 1);
        if (c % 10 == 0)
            usleep(100);
    }
    close(ends[1]);
    pthread_join(t, NULL);
    assert(sum == 1275);
    return 0;
}
