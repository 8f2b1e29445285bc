// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

#include <stdio.h>

static const int numbers[] = {4, 8, 15, 16, 23};

int main(void)
{
    size_t len = sizeof numbers / sizeof *numbers;
    int has = scan_contains(numbers, len, 8);
    int has_not = scan_contains(numbers, len, 42);
    if (has != 1 || has_not != 0) {
        fprintf(stderr, "found %d %d\n", has, has_not);
        return 1;
    }
    return 0;
}
