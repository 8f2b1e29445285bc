// SPDX-License-Identifier: Apache-2.0
//~ check: race
// The index of the inner loop is shared.
//~ libs: -fopenmp
int main(void)
{
    int a[6][6], j;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 6; i++)
        for (j = 0; j < 6; j++) //~ here
            a[i][j] = i + j;    //~ here
    return a[0][0] != 0;
}
