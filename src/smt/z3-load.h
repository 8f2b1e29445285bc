/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMT_Z3_LOAD_H
#define SMT_Z3_LOAD_H

#include "base/err.h"

/* Before the first call of a function of Z3. */
int z3_load(struct err *err);

#endif
