// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: gauge.c
// A server counts its clients in one gauge and their requests in another.
#include "gauge.h"

#include <pthread.h>
#include <stdio.h>

enum { CLIENTS = 2 };

struct server {
    struct gauge clients, requests;
};

static struct server server;

static void *client(void *argument)
{
    struct server *s = argument;
    gauge_change(&s->clients, 1);
    gauge_change(&s->requests, 2);
    return NULL;
}

int main(void)
{
    pthread_t threads[CLIENTS];
    gauge_init(&server.clients, 0);
    gauge_init(&server.requests, 1);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, &server);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    printf("%d clients, %d requests\n", gauge_peak(&server.clients),
           gauge_peak(&server.requests));
    return gauge_peak(&server.clients) == 2 && gauge_peak(&server.requests) == 5 ? 0 : 1;
}
