/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-orders: stronger memory orders and fences, for findings that need weak behaviour. */
#ifndef FIX_WEAK_ORDERS_H
#define FIX_WEAK_ORDERS_H

#include "causes/causes.h"
#include "finding/finding.h"
#include "fix/repair.h"

/* Does the finding need it? */
static inline bool fix_is_weak(const struct finding *f)
{
    return f->label != WEAK_LABEL_NONE && f->is_confirmed && *f->run;
}

/* causes: has one, which stands for the finding. */
int fix_weak(struct fix_repair *out, const struct causes *causes, const struct finding *f,
             const struct fix_repair_opts *opts, struct err *err);

#endif
