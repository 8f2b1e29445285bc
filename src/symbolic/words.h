/* SPDX-License-Identifier: Apache-2.0
 *
 * words: private. How nodes, values and conditions are called when a person is told of them. */
#ifndef SYMBOLIC_WORDS_H
#define SYMBOLIC_WORDS_H

#include "model/model.h"
#include "symbolic/problem.h"

struct words {
    const struct problem *p; /* borrowed, as the model */
    const struct model *m;
};

/* The site of a node; of a guard or check without one, that of the event before it. */
uint32_t words_site(const struct words *w, node_id n);
void words_add_site(struct str *out, const struct words *w, node_id n); /* "a.c:9:5" */
void words_add_thread(struct str *out, const struct words *w, node_id n);
/* The variable or field that an access is of, as the compiler knows it: for ids. */
void words_add_name(struct str *out, const struct words *w, node_id n);
/* The same in the source's words. */
void words_add_object(struct str *out, const struct words *w, node_id n);
/* A pointer is told by what it points to. */
void words_add_value(struct str *out, const struct words *w, term_bits value, unsigned width);
/* "step > 1". false: it is too long to be read, and out is as it was. */
bool words_add_condition(struct str *out, const struct words *w, term condition);

#endif
