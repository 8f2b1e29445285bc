/* SPDX-License-Identifier: Apache-2.0
 *
 * forward: reads that see what their own thread has read or written there last, whatever the
 * order: nobody else can write in between. Private to this module.
 *
 * That is so if each write by another thread comes before or after both, because of how threads
 * are created and joined, or is made under a lock that the thread holds all the while. Such a
 * read gets no variable of its own: terms are rewritten without it. In programs that lock
 * properly one read of a place is left in each section. */
#ifndef SYMBOLIC_FORWARD_H
#define SYMBOLIC_FORWARD_H

#include "symbolic/problem.h"

/* Fills in the problem's lean terms, and marks the parts of those reads. Its needs are
 * sorted. */
void forward_reads(struct problem *p);
void lean_free(struct lean *l);

#endif
