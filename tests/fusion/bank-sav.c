/* SPDX-License-Identifier: Apache-2.0
 *
 * bank-sav: bank-av, half mended: withdrawals come one after the other, by flags and a
 * condition variable; bookings are still made by everybody at any time. */
#include "bank.h"

static void *work(void *arg)
{
    int own = *(int *)arg;
    HEDDLE_ATOMIC_BEGIN();
    wait_for_turn(own);
    withdraw();
    say_done(own);
    book();
    HEDDLE_ATOMIC_END();
    return arg;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
