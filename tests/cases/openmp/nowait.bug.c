// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A loop reads what the one before it writes, and does not wait.
//~ libs: -fopenmp
int main(void)
{
    int a[16], b[16];
#pragma omp parallel num_threads(2)
    {
#pragma omp for nowait
        for (int i = 0; i < 16; i++)
            a[i] = i; //~ here
#pragma omp for
        for (int i = 0; i < 16; i++)
            b[i] = a[15 - i]; //~ here
    }
    return b[0] != 15;
}
