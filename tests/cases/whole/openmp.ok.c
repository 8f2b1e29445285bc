// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A reduction, and a sum under a critical section.
//~ flags: -fopenmp
#include <stdio.h>

int main(void)
{
    int sum = 0, rounds = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 30; i++)
        sum += i;
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        rounds++;
    }
    return printf("%d %d\n", sum, rounds) < 0;
}
