// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A try of a lock that fails leaves the data alone.
//~ libs: -fopenmp
#include <omp.h>
int main(void)
{
    omp_lock_t guard;
    int held = 0;
    omp_init_lock(&guard);
#pragma omp parallel num_threads(2)
    {
        if (omp_test_lock(&guard)) {
            held++; //~ here
            omp_unset_lock(&guard);
        }
    }
    omp_destroy_lock(&guard);
    return held > 2;
}
