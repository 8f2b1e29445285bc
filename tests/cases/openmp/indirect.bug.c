// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two entries of an index are the same.
//~ libs: -fopenmp
int main(void)
{
    int index[8] = {0, 1, 2, 3, 4, 5, 3, 7}, value[8] = {0};
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++)
        value[index[i]] += i; //~ here
    return value[7] != 7;
}
