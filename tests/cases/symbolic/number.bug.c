// SPDX-License-Identifier: Apache-2.0
//~ expect: out-of-bounds A
// Threads read their number where the loop that creates them counts.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 2 };
static atomic_int table[THREADS];

static void *work(void *arg)
{
    int number = *(atomic_int *)arg;
    table[number] = 1; //~ A
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    atomic_int i;
    for (i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &i);
    i = 0;
    for (int k = 0; k < THREADS; k++)
        pthread_join(t[k], NULL);
    return 0;
}
