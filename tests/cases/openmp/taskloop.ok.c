// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A loop of tasks writes elements, and is waited for.
//~ libs: -fopenmp
int main(void)
{
    int sum = 0, part[12], last = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(3) shared(part)
        for (int i = 0; i < 12; i++)
            part[i] = i; //~ here
        last = part[11];
    }
    return sum + last > 66;
}
