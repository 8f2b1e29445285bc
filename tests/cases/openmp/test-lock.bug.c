// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A try of a lock that fails is taken for one that succeeds.
//~ libs: -fopenmp
#include <omp.h>
int main(void)
{
    omp_lock_t guard;
    int held = 0;
    omp_init_lock(&guard);
#pragma omp parallel num_threads(2)
    {
        omp_test_lock(&guard);
        held++; //~ here
        omp_unset_lock(&guard);
    }
    omp_destroy_lock(&guard);
    return held > 2;
}
