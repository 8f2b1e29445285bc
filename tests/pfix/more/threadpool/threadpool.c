// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
//~ with: pool.c
// Squares in a pool of workers. The pool counts the jobs that were run, but a worker counts
// without the lock that everything else in the pool is under.
#include "pool.h"

#include <stdio.h>

enum { JOBS = 12 };

static int squares[JOBS];

static void square(void *argument)
{
    int *number = argument;
    *number *= *number;
}

int main(void)
{
    static struct pool pool;
    if (pool_init(&pool) < 0)
        return 2;
    for (int i = 0; i < JOBS; i++) {
        squares[i] = i;
        if (pool_add(&pool, square, &squares[i]) < 0)
            return 2;
    }
    pool_done(&pool);
    printf("%u jobs\n", pool_finished(&pool));
    return pool_finished(&pool) == JOBS ? 0 : 1;
}
