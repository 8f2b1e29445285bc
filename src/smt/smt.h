/* SPDX-License-Identifier: Apache-2.0
 *
 * smt: questions about values, and who answers them. */
#ifndef SMT_SMT_H
#define SMT_SMT_H

#include "smt/term.h"

#endif
