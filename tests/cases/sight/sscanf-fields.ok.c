// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads parse requests, each into a structure of its own.
#include <pthread.h>
#include <stdio.h>

struct request {
    int id;
    char verb[8];
};

static int ids[2];

static void *parse(void *arg)
{
    static const char *const lines[] = {"GET 17", "PUT 42"};
    int me = *(int *)arg;
    struct request mine, *r = &mine;
    if (sscanf(lines[me], "%7s %d", r->verb, &r->id) == 2) //~ here
        ids[me] = r->id;
    return NULL;
}

int main(void)
{
    int who[2] = {0, 1};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, parse, &who[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return ids[0] == 0 || ids[1] == 0;
}
