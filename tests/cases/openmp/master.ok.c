// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// What the master sets is read behind a barrier.
//~ libs: -fopenmp
#include <omp.h>
int main(void)
{
    int base = 1, seen[4] = {0};
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        base = 10; //~ here
#pragma omp barrier
        seen[omp_get_thread_num()] = base; //~ here
    }
    return seen[0] != 10;
}
