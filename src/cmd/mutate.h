/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate: a source with one lock less: the call that takes it and those that give it back go,
 * everything else keeps its place. */
#ifndef CMD_MUTATE_H
#define CMD_MUTATE_H

#include "base/str.h"

/* The source without its k-th section of a lock, from 0. line is where it was taken; 0: there
 * is no such section. False: one cannot be taken away alone, because a condition is waited for
 * in it. */
bool mutate(struct text source, uint32_t k, struct str *out, uint32_t *line);

#endif
