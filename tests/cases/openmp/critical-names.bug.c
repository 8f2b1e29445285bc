// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Two critical sections have different names.
//~ libs: -fopenmp
int main(void)
{
    int total = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
#pragma omp critical(books)
            total += 3; //~ here
        }
#pragma omp section
        {
#pragma omp critical(pages)
            total *= 2; //~ here
        }
    }
    return total < 0;
}
