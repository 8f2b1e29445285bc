/* SPDX-License-Identifier: Apache-2.0
 * expect: crash 6
 * abort(). */
#include "hooks.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    abort();
}
