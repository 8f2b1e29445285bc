/* SPDX-License-Identifier: Apache-2.0
 *
 * section: what ranges, calls that lock and sections share. */
#ifndef SOURCE_SECTION_H
#define SOURCE_SECTION_H

#include "source/lines.h"

bool is_block(const struct unit *u, node_id n);
/* std::lock_guard<...> g(m); and the like. */
bool is_guard(const struct unit *u, node_id statement, const char *expression);
/* Does it leave the range: return, break, ...? */
bool statement_leaves(const struct unit *u, struct range r, node_id n);
int unlock_before(struct unit *u, node_id n, const char *unlock, struct patch *out,
                  struct err *err);
/* Before what leaves the range; jumps_only: not before returns and throws. */
int unlock_ways_out(struct unit *u, struct range r, const char *expression, const char *unlock,
                    bool jumps_only, struct patch *out, struct err *err);
/* The section of an object that holds the lock. */
int guard_make(struct unit *u, struct range r, const struct lock_use *lock, struct patch *out,
               struct err *err);

/* The program's own functions that take or give back a lock: those that are defined here. */
void wrappers_find(struct unit *u);
/* The program's own classes whose objects hold a lock. */
void own_guards_find(struct unit *u);
bool is_own_guard(const struct unit *u, const char *type);
/* The one for locks of this type; NULL: there is none. */
const char *own_guard_for(const struct unit *u, const char *type);
/* Is the call one of these? Then the lock, as it is called here. */
bool wrapper_lock(const struct unit *u, node_id call, bool is_lock, struct str *out,
                  enum lock_sort *sort);
/* The statement that does it so; NULL: the program has nothing of its own for this lock. */
const char *wrapper_call(struct unit *u, node_id place, const struct lock_use *lock,
                         bool is_lock);

/* Is the object that has the lock the same all the time? */
int check_object(const struct unit *u, struct range r, const char *expression, struct err *err);
/* Gives the lock back before what frees the object it is in, and ends the section there. */
int leave_before_end(struct unit *u, struct range *r, const char *expression,
                     const char *unlock, struct err *err);
/* Was it given back for that reason when the node is reached? */
bool is_left_before(const struct unit *u, node_id n, const char *expression);
/* Nothing comes to what stands behind it. */
bool ends_in_jump(const struct unit *u, node_id statement);

#endif
