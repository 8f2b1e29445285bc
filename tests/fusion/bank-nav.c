/* SPDX-License-Identifier: Apache-2.0
 *
 * bank-nav: bank-av, mended: everything comes one after the other. */
#include "bank.h"

static void *work(void *arg)
{
    int own = *(int *)arg;
    HEDDLE_ATOMIC_BEGIN();
    wait_for_turn(own);
    withdraw();
    book();
    say_done(own);
    HEDDLE_ATOMIC_END();
    return arg;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
