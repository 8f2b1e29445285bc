/* SPDX-License-Identifier: Apache-2.0
 * A hand-over by a lock that nobody sees, and what its author says about it. Of the counters,
 * only `free_for_all` and `also_written` race; the hand-over orders nothing else. */
#include "said.h"

#include <pthread.h>

static long volatile flag; /* stands for something that Heddle does not see */
static int data, shared, free_for_all, intended, read_quietly, also_written, written_quietly;

/* Seen by nobody: no hooks. */
__attribute__((disable_sanitizer_instrumentation)) static void raise_flag(void)
{
    flag = 1;
}

__attribute__((disable_sanitizer_instrumentation)) static long flag_is_up(void)
{
    return flag;
}

static void *sender(void *unused)
{
    free_for_all++;
    data = 1;
    HAPPENS_BEFORE(&flag);
    raise_flag();
    intended++;
    QUIET_WRITES(1);
    written_quietly++;
    QUIET_WRITES(0);
    LOCKED(&shared, 1);
    shared++;
    UNLOCKED(&shared, 1);
    read_quietly = 1;
    also_written = 1;
    return unused;
}

static void *receiver(void *unused)
{
    if (flag_is_up()) {
        HAPPENS_AFTER(&flag);
        data++;
    }
    intended++;
    QUIET_WRITES(1);
    written_quietly++;
    QUIET_WRITES(0);
    LOCKED(&shared, 1);
    shared++;
    UNLOCKED(&shared, 1);
    QUIET_READS(1);
    if (read_quietly)
        also_written = 2;
    QUIET_READS(0);
    return unused;
}

static void *third(void *unused)
{
    free_for_all++;
    return unused;
}

int main(void)
{
    pthread_t t[3];
    BENIGN(intended);
    pthread_create(&t[0], 0, sender, 0);
    pthread_create(&t[1], 0, receiver, 0);
    pthread_create(&t[2], 0, third, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
