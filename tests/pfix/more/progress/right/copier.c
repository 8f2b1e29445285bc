// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stddef.h>

pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;
int progress_steps;
int progress_errors;

void *copier(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&progress_lock);
        int before = progress_steps;
        if (before <= 100)
            progress_steps = before + 1;
        pthread_mutex_unlock(&progress_lock);
        if (before > 100)
            return NULL;
    }
    return NULL;
}
