// SPDX-License-Identifier: Apache-2.0
//~ check: race
// What one thread sets alone is read by others that do not wait.
//~ libs: -fopenmp
int main(void)
{
    int size = 0, sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp single nowait
        size = 4;    //~ here
        sum += size; //~ here
    }
    return sum > 12;
}
