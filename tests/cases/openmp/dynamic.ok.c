// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Parts of a loop that are given out on demand are independent.
//~ libs: -fopenmp
int main(void)
{
    int a[21] = {1}, b[21];
    b[0] = 1;
#pragma omp parallel for num_threads(2) schedule(dynamic, 2)
    for (int i = 1; i < 21; i++)
        b[i] = a[0] + i; //~ here
    return a[1] + b[0] < 0;
}
