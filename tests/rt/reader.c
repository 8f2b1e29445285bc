/* SPDX-License-Identifier: Apache-2.0
 * expect: exit 0. A long loop that only reads, in more places than one that waits would. */
#include "hooks.h"
#include <assert.h>

static long table[64];
GLOBAL(table)

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 20000; round++)
        for (int i = 0; i < 64; i++)
            sum += R(table[i]);
    assert(sum == 0);
    return 0;
}
