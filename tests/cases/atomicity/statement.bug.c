// SPDX-License-Identifier: Apache-2.0
//~ expect: atomicity A
// An atomic load and an atomic store are not an atomic update.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *unused)
{
    (void)unused;
    atomic_store(&counter, atomic_load(&counter) + 1); //~ A
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
