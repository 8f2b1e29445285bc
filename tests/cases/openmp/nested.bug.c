// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A counter of teams inside of teams has no lock.
//~ libs: -fopenmp
#include <omp.h>
int main(void)
{
    int hits = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
        hits++; //~ here
    }
    return hits > 4;
}
