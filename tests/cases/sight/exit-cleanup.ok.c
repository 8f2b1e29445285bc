// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// An atexit handler joins the thread, then frees its table.
#include <pthread.h>
#include <stdlib.h>

static long *totals;
static pthread_t worker;

static void *count(void *arg)
{
    for (int i = 0; i < 4; i++)
        totals[i]++; //~ here
    return arg;
}

static void clean_up(void)
{
    pthread_join(worker, NULL);
    free(totals); //~ here
}

int main(void)
{
    totals = calloc(4, sizeof *totals);
    if (totals == NULL || atexit(clean_up) != 0)
        return 1;
    pthread_create(&worker, NULL, count, NULL);
    return 0;
}
