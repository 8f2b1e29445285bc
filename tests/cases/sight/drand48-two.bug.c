// SPDX-License-Identifier: Apache-2.0
//~ check: race
// drand48 keeps its state in the library, for all threads.
#include <pthread.h>
#include <stdlib.h>

static void *estimate(void *arg)
{
    int *inside = arg;
    for (int i = 0; i < 20; i++) {
        double x = drand48(), y = drand48(); //~ here
        *inside += x * x + y * y < 1;
    }
    return NULL;
}

int main(void)
{
    int inside[2] = {0, 0};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, estimate, &inside[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
