// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A loop of parts with borders of their own.
//~ libs: -fopenmp
enum { N = 32 };
static double field[N + 2], next[N + 2];
int main(void)
{
    for (int step = 0; step < 2; step++) {
#pragma omp parallel for simd num_threads(2)
        for (int i = 1; i <= N; i++)
            next[i] = 0.5 * (field[i - 1] + field[i + 1]); //~ here
        for (int i = 1; i <= N; i++)
            field[i] = next[i];
    }
    return field[1] > 1 || next[1] > 1;
}
