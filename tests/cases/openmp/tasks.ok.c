// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Tasks count atomically.
//~ libs: -fopenmp
int main(void)
{
    int done = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 6; i++) {
#pragma omp task
#pragma omp atomic
        done++; //~ here
    }
    return done < 1;
}
