/* SPDX-License-Identifier: Apache-2.0
 * expect: hang
 * A loop that always changes something. */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int x;

int main(void)
{
    for (;;)
        W(x, R(x) + 1);
}
