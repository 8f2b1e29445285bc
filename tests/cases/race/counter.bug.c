// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// Two threads count; without a lock they race.
#include <pthread.h>
#include <stdio.h>

static int counter;

static void *count(void *unused)
{
    (void)unused;
    counter++; //~ A
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
