// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// erand48 keeps its state where the caller says.
#include <pthread.h>
#include <stdlib.h>

static void *estimate(void *arg)
{
    int *inside = arg;
    unsigned short state[3] = {1, 2, 3};
    for (int i = 0; i < 20; i++) {
        double x = erand48(state), y = erand48(state);
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
