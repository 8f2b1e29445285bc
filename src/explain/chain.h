/* SPDX-License-Identifier: Apache-2.0
 *
 * chain: why one event of a trace has to happen before a thread can come to another one: one
 * step from thread to thread after the other. */
#ifndef EXPLAIN_CHAIN_H
#define EXPLAIN_CHAIN_H

#include "model/model.h"

enum chain_step {
    CHAIN_FORK,  /* the thread of `to` was created by `from` */
    CHAIN_JOIN,  /* `to` waited for the end of the thread of `from` */
    CHAIN_WAKE,  /* `from` woke the wait that ends at `to` */
    CHAIN_RULE,  /* barrier, once, channel, input: what the primitive says */
    CHAIN_READ,  /* `to` reads what `from` wrote, and its thread decides by it */
    CHAIN_AFTER, /* as recorded: `to` got what `from` gave back or posted */
};

struct chain_link {
    enum chain_step step;
    ev_id from, to;
};

typedef VEC(struct chain_link) chain;

/* What counts: each includes those above it. */
enum chain_level {
    CHAIN_PLAIN,    /* forks, joins, barriers and the like */
    CHAIN_SYNC,     /* and what woke a wait */
    CHAIN_DATA,     /* and values that branches depend on */
    CHAIN_RECORDED, /* and the order of locks and semaphores that the run had */
};

/* Has a to happen for b's thread to come to stand before b? If so, out gets the links from a
 * to b; the threads of neighbours are the same. firm: branches are not recorded, so that every
 * read counts as one that its thread decides by. */
bool chain_find(const struct model *m, ev_id a, ev_id b, enum chain_level level, bool firm,
                chain *out);

#endif
