// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A task depends on the one that writes what it reads.
//~ libs: -fopenmp
int main(void)
{
    int made = 0, used = 0, other = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : made)
        made = 5; //~ here
#pragma omp task depend(in : made)
        used = made; //~ here
#pragma omp task depend(out : other)
        other = 1;
    }
    return used > 5 || other > 1;
}
