// SPDX-License-Identifier: Apache-2.0
//~ check: race
// An atomic counter is read as it is.
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
            seen = done; //~ here
        }
    }
    return seen > 2;
}
