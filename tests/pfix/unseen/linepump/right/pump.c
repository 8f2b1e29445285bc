// SPDX-License-Identifier: Apache-2.0
#include "pump.h"

void pump_init(struct pump *p)
{
    pthread_mutex_init(&p->mtx, NULL);
    p->n_line = p->bytes = p->skipped = 0;
}

int pump_add(struct pump *p, int length)
{
    PUMP_ENTER(p);
    if (p->n_line == PUMP_LINES) {
        PUMP_LEAVE(p);
        return -1;
    }
    p->line[p->n_line++] = length;
    PUMP_LEAVE(p);
    return 0;
}

/* How many lines were taken, at most so many. */
int pump_drain(struct pump *p, int most)
{
    int taken = 0;

    while (taken < most) {
        PUMP_ENTER(p);
        if (p->n_line == 0) {
            PUMP_LEAVE(p);
            break;
        }
        int length = p->line[--p->n_line];
        taken++;
        if (length < 0) {
            p->skipped++;
            PUMP_LEAVE(p);
            continue;
        }
        p->bytes += length;
        PUMP_LEAVE(p);
    }
    return taken;
}
