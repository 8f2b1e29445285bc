/* SPDX-License-Identifier: Apache-2.0
 *
 * bank-av: a withdrawal reads under the locks and writes under a lock, but not under one and
 * the same section: what others did in between is lost. */
#include "bank.h"

static void *work(void *arg)
{
    HEDDLE_ATOMIC_BEGIN();
    withdraw();
    book();
    HEDDLE_ATOMIC_END();
    return arg;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
