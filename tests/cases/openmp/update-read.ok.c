// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// An atomic counter is read atomically.
//~ libs: -fopenmp
int main(void)
{
    int done = 0, seen = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        done++; //~ here
#pragma omp single nowait
        {
#pragma omp atomic read
            seen = done; //~ here
        }
    }
    return seen > 2;
}
