/* SPDX-License-Identifier: Apache-2.0
 *
 * acts-alike: whether the steps of a run that followed a witness act on what the finding says.
 * A run may do the same steps in the same places and mean other things by them: another lock,
 * another block, another element of a table. */
#ifndef CONFIRM_ACTS_ALIKE_H
#define CONFIRM_ACTS_ALIKE_H

#include "witness/witness.h"

/* Steps of the witness that acted on the same memory, or the same lock, in the recorded run
 * must do so in this one. What did not happen in one of the two says nothing. Both are
 * directories of runs. */
bool acts_alike(const struct witness_file *w, const char *recorded, const char *run);

#endif
