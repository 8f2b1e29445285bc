// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Each element becomes the next one, which another thread may have changed.
//~ libs: -fopenmp
int main(void)
{
    int a[40];
    for (int i = 0; i < 40; i++)
        a[i] = i;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 39; i++)
        a[i] = a[i + 1] + 1; //~ here
    return a[0] != 2;
}
