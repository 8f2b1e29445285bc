// SPDX-License-Identifier: Apache-2.0
#include "gauge.h"

#include <stdio.h>

static struct gauge gauge = {PTHREAD_MUTEX_INITIALIZER, 10, 12};
static int wrong;

static void *reader(void *arg)
{
    (void)arg;
    if (gauge_span(&gauge) != 2)
        wrong = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, reader, NULL);
    gauge_set(&gauge, 20, 22);
    gauge_set(&gauge, 5, 7);
    pthread_join(thread, NULL);
    if (wrong) {
        fputs("a span that never was\n", stderr);
        return 1;
    }
    return gauge_low(&gauge) == 5 ? 0 : 2;
}
