/* SPDX-License-Identifier: Apache-2.0
 *
 * seats: each guest is told a seat by the address of the host's own counter, which has gone on
 * by the time the guest looks. Index out of bounds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SEATS = 2 };

static atomic_int table[SEATS];

static void *guest(void *seat)
{
    int mine = *(atomic_int *)seat;
    table[mine] = 1;
    return NULL;
}

int main(void)
{
    pthread_t guests[SEATS];
    atomic_int next = 0;
    for (; next < SEATS; next++)
        pthread_create(&guests[next], NULL, guest, &next);
    next = 0;
    for (int i = 0; i < SEATS; i++)
        pthread_join(guests[i], NULL);
    printf("%d guests\n", SEATS);
    return 0;
}
