// SPDX-License-Identifier: Apache-2.0
// Somebody sends over a connection while somebody else closes it.
#include "table.h"

#include <stdio.h>

static int total;

static void *sender(void *arg)
{
    int *sent = arg;

    for (int i = 0; i < 2; i++) {
        struct conn *c = table_find(7);
        if (c == NULL)
            break;
        conn_ref(c);
        conn_send(c, 100);
        *sent += 100;
        conn_unref(c);
    }
    return NULL;
}

static void *closer(void *arg)
{
    (void)arg;
    table_close(7);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int sent = 0;

    if (table_open(7, &total) != 0)
        return 2;
    pthread_create(&a, NULL, sender, &sent);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (sent != total) {
        fprintf(stderr, "sent %d, counted %d\n", sent, total);
        return 1;
    }
    return 0;
}
