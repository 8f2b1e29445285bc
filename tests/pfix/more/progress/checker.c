// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stddef.h>

void *checker(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int seen = progress_steps;
        if (seen < 0) {
            progress_errors++;
            continue;
        }
        progress_steps = seen + 10;
    }
    return NULL;
}
