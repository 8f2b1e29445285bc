/* SPDX-License-Identifier: Apache-2.0
 *
 * fix: from a failure to a patch (Lin and others, "PFix", 2018; where we leave it:
 * docs/decisions). Two questions come first, and each has a module and a command of its own:
 *
 *   causes   which accesses, in which order, bring the failure about
 *   guards   which lock guards what
 *
 * Everything that is told lives in the arena of what it is told in. */
#ifndef FIX_FIX_H
#define FIX_FIX_H

#include "causes/causes.h"
#include "fix/repair.h"
#include "fix/weak-orders.h"

#endif
