/* SPDX-License-Identifier: Apache-2.0
 * One thread that computes: nothing to find, and nothing to wait for. */
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    enum { COUNT = 200000 };
    int *at = malloc(COUNT * sizeof *at);
    unsigned x = 1;
    for (int i = 0; i < COUNT; i++)
        at[i] = (int)((x = x * 1103515245 + 12345) >> 8 & 0xffff);
    qsort(at, COUNT, sizeof *at, compare);
    printf("%d\n", at[COUNT / 2]);
    free(at);
    return 0;
}
