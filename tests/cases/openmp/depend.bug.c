// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A task reads what another one writes, and does not say so.
//~ libs: -fopenmp
int main(void)
{
    int made = 0, used = 0, other = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : made)
        made = 5; //~ here
#pragma omp task depend(in : other)
        used = made; //~ here
#pragma omp task depend(out : other)
        other = 1;
    }
    return used > 5 || other > 1;
}
