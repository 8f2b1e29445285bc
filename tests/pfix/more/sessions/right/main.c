// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: sessions.c
// Mended by hand: the count has a lock of its own.
#include "sessions.h"

#include <stdio.h>

enum { CLIENTS = 3 };

static struct sessions sessions;
static const int numbers[CLIENTS] = {1, 2, 3};

static void *client(void *argument)
{
    int number = *(const int *)argument;
    sessions_open(&sessions, number);
    sessions_open(&sessions, number + 10);
    sessions_close(&sessions, number);
    return NULL;
}

int main(void)
{
    pthread_t threads[CLIENTS];
    sessions_init(&sessions);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, (void *)&numbers[i]);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    int count = sessions.count;
    for (int i = 0; i < CLIENTS; i++)
        sessions_close(&sessions, numbers[i] + 10);
    printf("%d open\n", count);
    return count == CLIENTS ? 0 : 1;
}
