// SPDX-License-Identifier: Apache-2.0
#include "hosts.h"

#include <pthread.h>
#include <stdio.h>

static void *dial(void *arg)
{
    int *port = arg;
    struct host *h = hosts_find(2);

    *port = -1;
    if (h == NULL)
        return NULL;
    host_get(h);
    *port = h->port;
    host_put(h);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int port;

    hosts_add(1, 22);
    hosts_add(2, 80);
    pthread_create(&thread, NULL, dial, &port);
    hosts_drop(2);
    pthread_join(thread, NULL);
    hosts_drop(1);
    if (port != 80 && port != -1) {
        fprintf(stderr, "port %d\n", port);
        return 1;
    }
    return 0;
}
