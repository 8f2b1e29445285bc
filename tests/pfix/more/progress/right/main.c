// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: copier.c checker.c
// Two sorts of threads, in two files, count in one variable that a header shows them.
#include "progress.h"

#include <pthread.h>
#include <stdio.h>

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, copier, NULL);
    pthread_create(&second, NULL, checker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d steps, %d errors\n", progress_steps, progress_errors);
    return progress_steps == 23 ? 0 : 1;
}
