/* SPDX-License-Identifier: Apache-2.0
 *
 * happens: whether C11's happens-before orders two events of an execution. */
#ifndef WITNESS_HAPPENS_H
#define WITNESS_HAPPENS_H

#include "witness/steps.h"

/* The steps to be asked about, which are still to be executed. */
void happens_begin(struct checker *c, step_id a, step_id b);
void happens_end(struct checker *c);
/* Before each step that is executed in between. */
void happens_step(struct checker *c, step_id id);
void happens_done(struct happens *h);

#endif
