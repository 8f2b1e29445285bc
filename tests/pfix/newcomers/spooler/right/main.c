// SPDX-License-Identifier: Apache-2.0
#include "spool.h"

#include <stdio.h>

static struct spool spool;

static void *office(void *arg)
{
    (void)arg;
    spool_submit(&spool, 3, false);
    spool_submit(&spool, 5, false);
    return NULL;
}

static void *director(void *arg)
{
    (void)arg;
    spool_submit(&spool, 1, true);
    return NULL;
}

static void *printer(void *arg)
{
    int *jobs = arg;
    for (int i = 0; i < 2; i++)
        if (spool_print_one(&spool))
            ++*jobs;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int jobs = 0;

    spool_init(&spool);
    pthread_create(&threads[0], NULL, office, NULL);
    pthread_create(&threads[1], NULL, director, NULL);
    pthread_create(&threads[2], NULL, printer, &jobs);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    while (spool_print_one(&spool))
        jobs++;

    int pages = spool.pages_printed;
    spool_destroy(&spool);
    if (jobs != 3 || pages != 9) {
        fprintf(stderr, "%d jobs, %d pages were printed\n", jobs, pages);
        return 1;
    }
    return 0;
}
