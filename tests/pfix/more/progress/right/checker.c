// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stddef.h>

void *checker(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&progress_lock);
        int seen = progress_steps;
        if (seen < 0)
            progress_errors++;
        else
            progress_steps = seen + 10;
        pthread_mutex_unlock(&progress_lock);
    }
    return NULL;
}
