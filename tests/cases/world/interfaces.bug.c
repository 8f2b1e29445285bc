// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Two threads ask for the system's network addresses, and count them without a lock. The
// answer is in the record: a replay has the same addresses, wherever it is made.
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int loopbacks;
static void *volatile after; /* memory of a replay is where it was */

static void *look(void *unused)
{
    struct ifaddrs *list;
    if (getifaddrs(&list) != 0)
        exit(2);
    for (struct ifaddrs *i = list; i; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_PACKET || strlen(i->ifa_name) == 0)
            continue;
        loopbacks += (i->ifa_flags & IFF_LOOPBACK) != 0; //~ here
    }
    freeifaddrs(list);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, look, NULL);
    look(NULL);
    pthread_join(t, NULL);
    after = malloc(5000);
    free(after);
    printf("%d\n", loopbacks);
    return 0;
}
