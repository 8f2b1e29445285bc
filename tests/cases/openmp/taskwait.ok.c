// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// What a task writes is used when it was waited for.
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
#pragma omp taskwait
        sum = left + right; //~ here
    }
    return sum > 3;
}
