// SPDX-License-Identifier: Apache-2.0
// A server with one thread that answers requests.
#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>

struct config {
    int limit;
    const char *name;
};

struct server {
    pthread_t thread;
    const struct config *config;
    int answered;
};

int server_start(struct server *s, const struct config *c);
void server_wait(struct server *s);

#endif
