// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two sections write one variable.
//~ libs: -fopenmp
int main(void)
{
    int x = 0, y = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        x = 1; //~ here
#pragma omp section
        x = 2; //~ here
    }
    return x + y == 7;
}
