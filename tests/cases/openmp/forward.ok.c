// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each element becomes the next one of another array.
//~ libs: -fopenmp
int main(void)
{
    int a[40], b[40];
    for (int i = 0; i < 40; i++)
        a[i] = i;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 39; i++)
        b[i] = a[i + 1] + 1; //~ here
    return b[0] != 2;
}
