// SPDX-License-Identifier: Apache-2.0
#ifndef HOSTS_H
#define HOSTS_H

struct host {
    struct host *next;
    int id, refs, port;
};

struct host *host_get(struct host *h); /* one more user; with the lock of the list */
void host_put(struct host *h);         /* one less; the last one frees it */
void hosts_add(int id, int port);
struct host *hosts_find(int id);
void hosts_drop(int id);

#endif
