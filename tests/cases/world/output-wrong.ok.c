// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Three tickets are sold under a lock: every order prints 3.
#include <pthread.h>
#include <stdio.h>

static int sold;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sell(void *arg)
{
    pthread_mutex_lock(&lock);
    sold++; //~ here
    pthread_mutex_unlock(&lock);
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
