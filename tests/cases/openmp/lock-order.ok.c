// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two locks are taken in one order.
//~ libs: -fopenmp
#include <omp.h>
static omp_lock_t in, out;
static int moved;
static void move(omp_lock_t *a, omp_lock_t *b)
{
    omp_set_lock(a);
    omp_set_lock(b);
    moved++;
    omp_unset_lock(b);
    omp_unset_lock(a);
}
int main(void)
{
    omp_init_lock(&in);
    omp_init_lock(&out);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        move(&in, &out);
#pragma omp section
        move(&in, &out);
    }
    return moved != 2;
}
