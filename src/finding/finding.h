/* SPDX-License-Identifier: Apache-2.0
 *
 * finding: plain records of what the analysis claims about a program, and what is asked about
 * them: their words, their names for things, which of them are wanted. */
#ifndef FINDING_FINDING_H
#define FINDING_FINDING_H

#include "finding/after-free.h"
#include "finding/misuse.h"
#include "finding/namer.h"
#include "finding/pattern.h"
#include "finding/finding-list.h"
#include "finding/suppress.h"

#endif
