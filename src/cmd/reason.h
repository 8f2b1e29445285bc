/* SPDX-License-Identifier: Apache-2.0
 *
 * reason: in words, what a switch between two threads brings about. */
#ifndef CMD_REASON_H
#define CMD_REASON_H

#include "run/run.h"

struct reasons;

/* directory: of a run that was recorded. */
int reasons_open(struct reasons **out, const char *directory, struct err *err);
/* Appends "T2 writes head between T1's check at q.c:40 and its use at q.c:43". */
void reason_add(struct str *out, const struct reasons *r, const struct run_nudge *n);
void reasons_close(struct reasons *r);

#endif
