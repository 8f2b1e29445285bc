/* SPDX-License-Identifier: Apache-2.0
 *
 * figure1c: the paper's figure 1 (a) as its text changes it: any number is enough for the
 * second thread, so that it may write inside of the region. */
#include "fusion.h"

static int x;

static void *work(void *arg)
{
    if (*(int *)arg == 0) {
        HEDDLE_ATOMIC_BEGIN();
        int a = x;
        x = a + 1;
        HEDDLE_ATOMIC_END();
        return NULL;
    }
    int b = x;
    if (b >= 0)
        x = 5;
    return NULL;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
