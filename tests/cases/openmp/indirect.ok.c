// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// All entries of an index differ.
//~ libs: -fopenmp
int main(void)
{
    int index[8] = {0, 1, 2, 3, 4, 5, 6, 7}, value[8] = {0};
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++)
        value[index[i]] += i; //~ here
    return value[7] != 7;
}
