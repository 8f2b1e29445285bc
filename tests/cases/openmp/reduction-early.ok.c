// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A reduction is read behind a barrier.
//~ libs: -fopenmp
int main(void)
{
    int sum = 0, seen[2] = {0};
#pragma omp parallel num_threads(2)
    {
#pragma omp for reduction(+ : sum) nowait
        for (int i = 0; i < 8; i++)
            sum += i; //~ here
#pragma omp barrier
#pragma omp single
        seen[0] = sum; //~ here
    }
    return seen[0] > 28;
}
