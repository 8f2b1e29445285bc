// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A loop of tasks adds up without a reduction, and nobody waits.
//~ libs: -fopenmp
int main(void)
{
    int sum = 0, part[12], last = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(3) shared(sum)
        for (int i = 0; i < 12; i++)
            sum += i; //~ here
    }
    return sum + last > 66;
}
