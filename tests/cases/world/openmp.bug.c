// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A sum in parallel without a reduction.
//~ libs: -fopenmp
#include <omp.h>

int main(void)
{
    int data[24], sum = 0, most = 0;
    for (int i = 0; i < 24; i++)
        data[i] = i;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 24; i++)
        sum += data[i]; //~ here
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 24; i++) {
#pragma omp critical
        if (data[i] > most)
            most = data[i];
    }
    return most != 23;
}
