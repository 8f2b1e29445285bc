// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// The end of a stream says that the work is done, but the total is stored after the pipe was
// closed.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int ends[2], total;

static void *worker(void *arg)
{
    int sum = 0;
    for (int i = 1; i <= 4; i++)
        sum += i;
    close(ends[1]);
    total = sum; //~ here
    return arg;
}

int main(void)
{
    char c;
    fd_set set;
    must(pipe(ends) == 0);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    must(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1);
    must(read(ends[0], &c, 1) == 0);
    printf("total %d\n", total); //~ here
    pthread_join(t, NULL);
    return 0;
}
