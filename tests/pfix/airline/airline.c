// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
// Twenty clerks sell one seat each of a flight with sixteen. A clerk who sees that too many are
// sold says stop; whoever sends the clerks out looks for that before the next one, and takes
// the one seat too many back. Nothing is locked, and nobody waits for the clerk sent out last:
// more seats than there are may be sold in the end.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { CLERKS = 20, SEATS = CLERKS - 4 };

struct flight {
    int sold;
    int stop;
    int capacity;
};

static struct flight flight = {.capacity = SEATS};
static pthread_t clerks[CLERKS];

static void *sell(void *unused)
{
    (void)unused;
    flight.sold++;
    if (flight.sold > flight.capacity)
        flight.stop = 1;
    return NULL;
}

/* Customers come one after the other, a moment apart. */
static int send_clerks(void)
{
    int sent = 0;
    for (int i = 0; i < CLERKS; i++) {
        if (flight.stop) {
            flight.sold--;
            break;
        }
        pthread_create(&clerks[i], NULL, sell, NULL);
        sent++;
        usleep(1000);
    }
    return sent;
}

int main(void)
{
    int sent = send_clerks();
    int oversold = flight.sold > flight.capacity;
    for (int i = 0; i < sent; i++)
        pthread_join(clerks[i], NULL);
    if (oversold) {
        printf("oversold\n");
        return 1;
    }
    printf("ok\n");
    return 0;
}
