// SPDX-License-Identifier: Apache-2.0
#ifndef CONN_H
#define CONN_H

#include <pthread.h>

struct conn {
    pthread_mutex_t lock;
    int refs; /* under lock */
    int id;
    int bytes;    /* under lock */
    int *counter; /* total of all connections that are gone */
};

struct conn *conn_new(int id, int *counter);
void conn_ref(struct conn *c);
void conn_unref(struct conn *c); /* the last one frees it */
void conn_send(struct conn *c, int bytes);

#endif
