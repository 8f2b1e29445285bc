// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A task takes a local of its maker by reference that has gone.
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
#pragma omp task shared(next)
            all[next % 8] = i;  //~ here
            next++;             //~ here
        }
#pragma omp taskwait
    }
    return all[7] > 9;
}
