// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A temporary that all threads share.
//~ libs: -fopenmp
int main(void)
{
    int a[20], tmp;
#pragma omp parallel for
    for (int i = 0; i < 20; i++) {
        tmp = i + 1; //~ here
        a[i] = tmp;  //~ here
    }
    return a[19] < 0;
}
