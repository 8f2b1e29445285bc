// SPDX-License-Identifier: Apache-2.0
//~ check: race
// An iteration waits for the wrong other one.
//~ libs: -fopenmp
int main(void)
{
    int a[12] = {0};
#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
    for (int i = 1; i < 12; i++) {
#pragma omp ordered depend(sink : i - 2)
        a[i] = a[i - 1] + 1; //~ here
#pragma omp ordered depend(source)
    }
    return a[11] > 11;
}
