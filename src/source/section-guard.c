/* SPDX-License-Identifier: Apache-2.0
 *
 * section-guard: in C++ the lock of a section is held by an object, so that no way out can
 * forget it. Where a jump would pass the object's declaration, it is declared before the jump
 * and takes the lock later. */
#include "source/section.h"

#include <string.h>

/* Means it something in this function already? */
static bool is_name_known(const struct unit *u, node_id function, const char *name)
{
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        bool is_seen = node->kind == NODE_FIELD || node->kind == NODE_FUNCTION ||
                       node->kind == NODE_PROTOTYPE || node->is_global;
        if (is_seen && strcmp(node->name, name) == 0)
            return true;
    }
    const struct node *f = node_of(u, function);
    return code_has_word(&u->files.at[f->file], f->start, f->end, name);
}

/* A name for the object that holds the lock: one that a section around this one, or before it
 * in the same block, does not have. */
static const char *guard_name(struct unit *u, node_id first)
{
    AUTO(str) struct str wanted = {0};
    for (uint32_t try = 1;; try++) {
        wanted.len = 0;
        str_add(&wanted, "guard");
        if (try > 1)
            str_add(&wanted, "%u", try);
        bool is_taken = is_name_known(u, node_function(u, first), wanted.at);
        const char *name = arena_text(&u->mem, wanted.at, wanted.len);
        wanted.len = 0;
        str_add(&wanted, "> %s(", name);
        for (uint32_t i = 0; i < u->inserts.len; i++)
            is_taken |= strstr(u->inserts.at[i].text, wanted.at) &&
                        !is_body(u, u->inserts.at[i].at) &&
                        node_is_in(u, first, node_of(u, u->inserts.at[i].at)->parent);
        if (!is_taken)
            return name;
    }
}

/* ---- jumps past a declaration ----------------------------------------------------------- */

/* The first goto of the function to the label, or NONE. */
static node_id first_goto(const struct unit *u, node_id label)
{
    node_id function = node_function(u, label);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n))
        if (node_of(u, n)->kind == NODE_GOTO && node_of(u, n)->first != NONE &&
            node_of(u, node_of(u, n)->first)->declared == label)
            return n;
    return NONE;
}

/* The child of `block` that n is in; NONE: it is not in it. */
static node_id child_of(const struct unit *u, node_id block, node_id n)
{
    while (n != NONE && node_of(u, n)->parent != block)
        n = node_of(u, n)->parent;
    return n;
}

static bool is_earlier(const struct unit *u, node_id a, node_id b)
{
    return node_of(u, a)->start < node_of(u, b)->start;
}

/* What is declared before this statement is in reach of a case or label behind it, to which
 * something jumps from before: the statement before which it must be declared instead; NONE if
 * there is no such jump. */
static node_id jumped_from(const struct unit *u, node_id statement)
{
    node_id block = node_of(u, statement)->parent, core = statement_core(u, statement);
    if (!is_block(u, block))
        return NONE;
    node_id above = node_of(u, block)->parent;
    bool is_switch = node_of(u, above)->kind == NODE_SWITCH;
    for (node_id s = statement; s != NONE; s = node_of(u, s)->next) {
        if (is_switch && s != statement && node_of(u, s)->kind == NODE_CASE)
            return above;
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            if (node_of(u, n)->kind != NODE_LABEL || node_is_in(u, core, n))
                continue;
            node_id jump = first_goto(u, n);
            node_id from = jump == NONE ? NONE : child_of(u, block, jump);
            if (from != NONE && is_earlier(u, from, statement))
                return from;
        }
    }
    return NONE;
}

/* ---- the section ------------------------------------------------------------------------ */

/* What the lock is declared as; std::mutex if it is not found. */
static const char *mutex_type(const struct unit *u, const char *expression)
{
    const char *name = expression + strlen(expression);
    enum lock_sort sort;
    while (name > expression && is_word_char(name[-1]))
        name--;
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        if ((node->kind == NODE_FIELD || node->kind == NODE_VARIABLE) &&
            strcmp(node->name, name) == 0 && is_lock_type(u, node->type, &sort) &&
            sort == LOCK_CXX)
            return node->type;
    }
    return "std::mutex";
}

/* Declares an object that takes the lock later, or finds the one that a section before this one
 * declared there; returns its name. */
static const char *declare_later(struct unit *u, node_id anchor, const char *name,
                                 const char *expression)
{
    AUTO(str) struct str text = {0}, rest = {0}, type = {0};
    str_add(&type, "std::unique_lock<%s> ", mutex_type(u, expression));
    str_add(&rest, "(%s, std::defer_lock);", expression);
    for (uint32_t i = 0; i < u->inserts.len; i++) {
        const struct insert *one = &u->inserts.at[i];
        const char *end = one->at == anchor ? strstr(one->text, rest.at) : NULL;
        const char *start = one->text + type.len;
        if (end)
            return arena_text(&u->mem, start, (size_t)(end - start));
    }
    str_add(&text, "%s%s%s", type.at, name, rest.at);
    unit_insert(u, anchor, INSERT_OPEN, text.at);
    return name;
}

/* The object is declared before `anchor`, takes the lock before the section and gives it back
 * behind it and before what jumps out. */
static int make_later(struct unit *u, struct range r, node_id anchor, const char *name,
                      const struct lock_use *lock, struct patch *out, struct err *err)
{
    AUTO(str) struct str text = {0};
    for (node_id further = anchor; further != NONE; further = jumped_from(u, further))
        anchor = further;
    if (is_body(u, anchor))
        return err_set(err, "a jump passes the place where the lock would be held");
    name = declare_later(u, anchor, name, lock->expression);
    str_add(&text, "%s.lock();", name);
    unit_insert(u, statement_core(u, r.first), INSERT_OPEN, text.at);
    text.len = 0;
    str_add(&text, "%s.unlock();", name);
    if (unlock_ways_out(u, r, lock->expression, text.at, true, out, err) < 0)
        return -1;
    if (!ends_in_jump(u, r.last))
        unit_insert(u, r.last, INSERT_CLOSE, text.at);
    return 0;
}

/* Gets braces of its own: a body, or the one statement of a case. */
static bool is_alone(const struct unit *u, struct range r)
{
    node_id core = statement_core(u, r.first);
    return r.first == r.last && is_body(u, core) &&
           node_of(u, node_of(u, core)->parent)->kind != NODE_LABEL;
}

/* Is it what a case or label stands before? */
static bool has_label(const struct unit *u, node_id statement)
{
    enum node_kind kind = node_of(u, node_of(u, statement)->parent)->kind;
    return kind == NODE_CASE || kind == NODE_LABEL;
}

/* The only object in the range that holds the lock, whose name others may use; NONE: there is
 * none, or several. */
static node_id only_guard(const struct unit *u, struct range r, const char *expression)
{
    node_id found = NONE;
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            if (!is_guard(u, n, expression))
                continue;
            if (found != NONE)
                return NONE;
            found = n;
        }
        if (s == r.last)
            break;
    }
    return found;
}

/* <shared_mutex> alone has no std::lock_guard. */
static void include_guards(const struct unit *u, struct range r, const char *expression,
                           struct patch *out)
{
    const char *type = mutex_type(u, expression);
    bool is_there = strstr(type, "shared") == NULL || own_guard_for(u, type);
    uint32_t file = NONE;
    for (node_id n = 1; n < u->nodes.len && !is_there; n++) { /* files of the user's own */
        if (node_of(u, n)->file == file)
            continue;
        file = node_of(u, n)->file;
        is_there = memmem(u->files.at[file].text.at, u->files.at[file].text.len, "<mutex>", 7);
    }
    if (!is_there)
        include_header(u, node_of(u, r.first)->file, "mutex", out);
}

/* Who holds a lock to the end of the block holds it while the rest is done, too: -1 if that
 * calls anything. */
static int grow_to_end(const struct unit *u, struct range *r)
{
    if (!is_block(u, node_of(u, r->last)->parent))
        return is_alone(u, *r) ? 0 : -1;
    for (node_id s = node_of(u, r->last)->next; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n))
            if (node_of(u, n)->kind == NODE_CALL)
                return -1;
        r->last = s;
    }
    return 0;
}

int guard_make(struct unit *u, struct range r, const struct lock_use *lock, struct patch *out,
               struct err *err)
{
    AUTO(str) struct str text = {0};
    while (r.first == r.last && has_label(u, r.first))
        r.first = r.last = node_of(u, r.first)->parent;
    const char *own = own_guard_for(u, mutex_type(u, lock->expression));
    if (own && grow_to_end(u, &r) < 0)
        return err_set(err, "a %s cannot be given back before what follows", own);
    bool is_labelled = is_body(u, statement_core(u, r.first)) && !is_alone(u, r);
    bool to_end = is_block(u, node_of(u, r.last)->parent) && node_of(u, r.last)->next == NONE;
    if (to_end && is_guard(u, r.first, lock->expression)) { /* the object that is there stays */
        struct range rest = {node_of(u, r.first)->next, r.last};
        return rest.first == NONE ? 0 : section_dissolve(u, rest, lock->expression, out, err);
    }
    if (section_dissolve(u, r, lock->expression, out, err) < 0)
        return -1;
    node_id there = only_guard(u, r, lock->expression);
    include_guards(u, r, lock->expression, out);
    const char *name =
        there == NONE ? guard_name(u, r.first) : node_of(u, node_of(u, there)->first)->name;
    node_id anchor = is_alone(u, r) ? NONE : jumped_from(u, r.first);
    if (anchor != NONE && own)
        return err_set(err, "a jump passes the place where the lock would be held");
    if (anchor != NONE)
        return make_later(u, r, anchor, name, lock, out, err);
    bool is_scoped = (to_end && !is_labelled) || is_alone(u, r);
    struct text same = there == NONE ? (struct text){0} : node_text(u, there);
    if (is_scoped && same.len) /* the object that is there moves */
        str_add(&text, "%.*s%s", TEXT_ARG(same), same.at[same.len - 1] == ';' ? "" : ";");
    else if (own)
        str_add(&text, "%s %s(%s);", own, name, lock->expression);
    else
        str_add(&text, "std::%s<%s> %s(%s);", is_scoped ? "lock_guard" : "unique_lock",
                mutex_type(u, lock->expression), name, lock->expression);
    unit_insert(u, statement_core(u, r.first), INSERT_OPEN, text.at);
    if (!to_end && !is_alone(u, r) && !ends_in_jump(u, r.last)) {
        text.len = 0;
        str_add(&text, "%s.unlock();", name);
        unit_insert(u, r.last, INSERT_CLOSE, text.at);
    }
    return 0;
}

int section_words(struct unit *u, node_id place, const struct lock_use *lock, const char **take,
                  const char **give, struct err *err)
{
    AUTO(str) struct str text = {0};
    const char *type = mutex_type(u, lock->expression);
    if (own_guard_for(u, type))
        return err_set(err, "what holds %s cannot give it back early", lock->expression);
    if (!u->is_cxx || lock->sort != LOCK_CXX) {
        *take = lock_call(u, place, lock, true);
        *give = lock_call(u, place, lock, false);
        return 0;
    }
    const char *name = guard_name(u, place);
    str_add(&text, "std::unique_lock<%s> %s(%s);", type, name, lock->expression);
    *take = arena_text(&u->mem, text.at, text.len);
    text.len = 0;
    str_add(&text, "%s.unlock();", name);
    *give = arena_text(&u->mem, text.at, text.len);
    return 0;
}
