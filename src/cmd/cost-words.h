/* SPDX-License-Identifier: Apache-2.0
 *
 * cost-words: what a change costs, for people. */
#ifndef CMD_COST_WORDS_H
#define CMD_COST_WORDS_H

#include "base/str.h"
#include "verify/verify.h"

/* One line; false: it was not measured. */
bool add_cost_words(struct str *out, const struct verify_cost *before,
                    const struct verify_cost *after);

#endif
