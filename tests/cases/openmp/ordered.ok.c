// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A log is written in the ordered part of a loop.
//~ libs: -fopenmp
static int log_at, entries[20];
int main(void)
{
#pragma omp parallel for ordered num_threads(3) schedule(dynamic)
    for (int i = 0; i < 9; i++) {
        int x = i * i;
#pragma omp ordered
        entries[log_at++] = x; //~ here
    }
    return log_at > 9;
}
