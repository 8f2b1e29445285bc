// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A flag tells that data are there, atomically.
//~ libs: -fopenmp
int main(void)
{
    int ready = 0, data = 0, seen = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            data = 42; //~ here
#pragma omp atomic write release
            ready = 1; //~ here
        }
#pragma omp section
        {
            int is_there = 0;
            for (int i = 0; i < 3 && !is_there; i++)
#pragma omp atomic read acquire
                is_there = ready; //~ here
            if (is_there)
                seen = data; //~ here
        }
    }
    return seen != 0 && seen != 42;
}
