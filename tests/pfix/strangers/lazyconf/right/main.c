// SPDX-License-Identifier: Apache-2.0
#include "conf.h"

#include <pthread.h>
#include <stdio.h>

static void *server(void *arg)
{
    int *sum = arg;
    *sum = CONF(port) + CONF(limit);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int sums[2];
    pthread_create(&a, NULL, server, &sums[0]);
    pthread_create(&b, NULL, server, &sums[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (sums[0] != 85 || sums[1] != 85 || conf_loads != 1) {
        fprintf(stderr, "%d %d, loaded %d times\n", sums[0], sums[1], conf_loads);
        return 1;
    }
    return 0;
}
