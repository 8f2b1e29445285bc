// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A task group waits for the tasks of tasks.
//~ libs: -fopenmp
int main(void)
{
    int deep = 0, seen = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(deep)
            {
#pragma omp task shared(deep)
                deep = 3; //~ here
            }
        }
#pragma omp taskwait
        seen = deep; //~ here
    }
    return seen > 3;
}
