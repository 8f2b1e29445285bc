/* SPDX-License-Identifier: Apache-2.0
 *
 * figure6: the paper's figure 6. Where the violation happens, the branch behind it goes another
 * way than in the recorded run. */
#include "fusion.h"

static int x;

static void *work(void *arg)
{
    if (*(int *)arg == 0) {
        HEDDLE_ATOMIC_BEGIN();
        x = 0;
        int a = x + 1;
        HEDDLE_ATOMIC_END();
        if (a == 1)
            x = 2;
        return NULL;
    }
    x = 3;
    int b = x;
    return b ? NULL : arg;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
