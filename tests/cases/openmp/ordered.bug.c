// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A log is written in a loop that is ordered, but outside of what is.
//~ libs: -fopenmp
static int log_at, entries[20];
int main(void)
{
#pragma omp parallel for ordered num_threads(3) schedule(dynamic)
    for (int i = 0; i < 9; i++) {
        int x = i * i;
#pragma omp ordered
        x++;
        entries[log_at++] = x; //~ here
    }
    return log_at > 9;
}
