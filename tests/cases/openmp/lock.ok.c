// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Both paths take the lock.
//~ libs: -fopenmp
#include <omp.h>
static omp_lock_t guard;
static int stock;
static void sell(int i)
{
    if (i % 5 == 4) {
        omp_set_lock(&guard);
        stock = 0; //~ here
        omp_unset_lock(&guard);
        return;
    }
    omp_set_lock(&guard);
    stock++; //~ here
    omp_unset_lock(&guard);
}
int main(void)
{
    omp_init_lock(&guard);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 10; i++)
        sell(i);
    omp_destroy_lock(&guard);
    return stock > 10;
}
