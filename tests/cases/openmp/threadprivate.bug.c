// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A static buffer of a function that all threads call.
//~ libs: -fopenmp
static int buffer[2];
static int twice(int n)
{
    buffer[0] = n;             //~ here
    buffer[1] = buffer[0] * 2; //~ here
    return buffer[1];          //~ here
}
int main(void)
{
    int a[8];
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++)
        a[i] = twice(i);
    return a[7] < 0;
}
