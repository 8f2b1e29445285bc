# SPDX-License-Identifier: Apache-2.0
# A read that finds what no recorded write left there is preceded by an external-write.
cat > prog.c << 'END'
#include <stdlib.h>
static int row[3] = {3, 1, 2};
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static void (*volatile sort)(void *, size_t, size_t, int (*)(const void *, const void *)) = qsort;
int main(void)
{
    int first = row[0];
    row[1] = 0;
    sort(row, 3, sizeof *row, compare);
    return first != 3 || row[0] != 0 || row[1] != 2;
}
END
heddle cc -O1 prog.c -o prog
heddle run -- ./prog
heddle replay prog.heddle/runs/last
heddle trace dump prog.heddle/runs/last/trace | awk '/^T/ && /main|external|row/ { print $2, $3 }' | uniq | tail -4
HEDDLE_RECORD=check=0 heddle run -- ./prog
heddle trace dump prog.heddle/runs/last/trace | grep -c external-write || true
