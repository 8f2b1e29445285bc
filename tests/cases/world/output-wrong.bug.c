// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity/output
// Three tickets are sold: every order prints 3, only a lost update prints less.
#include <pthread.h>
#include <stdio.h>

static int sold;

static void *sell(void *arg)
{
    sold++; //~ here
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, sell, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d tickets sold\n", sold);
    return 0;
}
