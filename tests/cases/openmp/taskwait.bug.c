// SPDX-License-Identifier: Apache-2.0
//~ check: race
// What a task writes is used before it was waited for.
//~ libs: -fopenmp
int main(void)
{
    int left = 0, right = 0, sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task shared(left)
        left = 1; //~ here
#pragma omp task shared(right)
        right = 2;
        sum = left + right; //~ here
#pragma omp taskwait
    }
    return sum > 3;
}
