// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two sections write their own.
//~ libs: -fopenmp
int main(void)
{
    int x = 0, y = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        x = 1; //~ here
#pragma omp section
        y = 2; //~ here
    }
    return x + y == 7;
}
