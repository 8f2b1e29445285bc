/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle: what the parts of the random test share: a tiny trace as plain arrays, made here and
 * not read back through the program under test. */
#ifndef TESTS_ORACLE_ORACLE_H
#define TESTS_ORACLE_ORACLE_H

#include "base/rng.h"
#include "finding/finding.h"

enum { EVENTS_CAP = 64, THREADS_CAP = 5, VARS_CAP = 3, LOCKS_CAP = 3, CONDS_CAP = 2 };

enum op {
    OP_R,
    OP_W,
    OP_ACQ,
    OP_REL,
    OP_BR,
    OP_FORK,
    OP_JOIN,
    OP_WAIT_PRE,
    OP_WAIT_POST,
    OP_NOTIFY,
    OP_NOTIFYALL,
};

struct event {
    enum op op;
    int thr, obj;
    int idx;
    int obs;         /* read: the write it saw, or -1 */
    int match;       /* acquire, release: the other end, or -1 */
    int pre, notify; /* re-acquire: its wait and what woke it, or -1 */
};

struct tiny {
    int len, threads;
    struct event ev[EVENTS_CAP];
    int at[THREADS_CAP][EVENTS_CAP], count[THREADS_CAP];
    int fork[THREADS_CAP]; /* what forked it, or -1 */
};

/* Length about `want`; threads as given. */
void tiny_make(struct tiny *t, struct rng *rng, int threads, int want);
void tiny_print(const struct tiny *t, struct str *out); /* STD */

bool brute_force(const struct tiny *t, enum mode mode, const struct query *q);

enum verdict { REFERENCE_NO, REFERENCE_YES, REFERENCE_NOT_FOUND };
enum verdict reference(const struct tiny *t, enum mode mode, const struct query *q);

#endif
