/* SPDX-License-Identifier: Apache-2.0
 *
 * names: what variables are called, in all runs the same. */
#ifndef GUARDS_NAMES_H
#define GUARDS_NAMES_H

#include "build/build.h"
#include "guards/seen-run.h"
#include "model/model.h"

/* By cell: the name at the first plain access to it, "" if there is none. Lives in mem. */
const char **fields_of(const struct model *m, struct arena *mem);
/* "accounts", "heap(pool.c:33)", "inv(list.c:90)" on a stack, "stack(list.c:90)" if it has no
 * name; "?" if the object is not known. People read name_words of it. */
void object_text(struct str *out, const struct model *m, obj_id object);
/* "accounts.amount", "balance": the object, then the field unless that is the object itself. */
void variable_text(struct str *out, const struct model *m, cell_id c, const char *field);
/* Is it of an object that is known by where it was made? */
bool name_has_place(const char *name);
/* What a call that takes a lock names: "a->lock" of pthread_mutex_lock(&a->lock); "" if the
 * source does not say. */
void lock_expression(struct str *out, const struct code_site *site,
                     const struct build_units *units);

#endif
