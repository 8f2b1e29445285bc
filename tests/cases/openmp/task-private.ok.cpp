// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A task takes a copy of a local.
//~ libs: -fopenmp
#include <vector>
static std::vector<int> all(8);
int main()
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int next = 0;
        for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(next)
            all[next % 8] = i;  //~ here
            next++;             //~ here
        }
#pragma omp taskwait
    }
    return all[7] > 9;
}
