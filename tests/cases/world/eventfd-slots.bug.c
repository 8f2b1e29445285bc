// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// An eventfd that counts lets two in at a time; what they change is meant for one.

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int slots, used;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *use(void *arg)
{
    uint64_t one;
    must(read(slots, &one, sizeof one) == (ssize_t)sizeof one && one == 1);
    used++; //~ here
    must(write(slots, &one, sizeof one) == (ssize_t)sizeof one);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    slots = eventfd(2, EFD_SEMAPHORE);
    must(slots >= 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return used > 3;
}
