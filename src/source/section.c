/* SPDX-License-Identifier: Apache-2.0
 *
 * section: statements become a section of a lock: the lock is taken before the first, and
 * given back behind the last and on every other way out. */
#include "source/section.h"

#include <string.h>

/* ---- making it fit ---------------------------------------------------------------------- */

/* A jump into it from elsewhere: a goto to one of its labels, not the one it begins with, or
 * one of its cases if the switch is not inside; NONE if there is none. */
static node_id find_entry(const struct unit *u, struct range r)
{
    node_id function = node_function(u, r.first);
    node_id core = statement_core(u, r.first);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        const struct node *node = node_of(u, n);
        if (node->kind == NODE_GOTO && node->first != NONE && !range_has(u, r, n)) {
            node_id label = node_of(u, node->first)->declared;
            bool is_lead = label != NONE && node_is_in(u, core, label);
            if (label != NONE && range_has(u, r, label) && !is_lead)
                return n;
        }
        if (node->kind == NODE_CASE && range_has(u, r, n) && !node_is_in(u, core, n)) {
            node_id s = n;
            while (s != NONE && node_of(u, s)->kind != NODE_SWITCH)
                s = node_of(u, s)->parent;
            if (s != NONE && !range_has(u, r, s))
                return s;
        }
    }
    return NONE;
}

/* The section of the same lock that the first (last) statement is in belongs to it. */
static void take_in(const struct unit *u, struct range *r, const char *expression)
{
    node_id block = node_of(u, r->first)->parent, opened = NONE;
    if (!is_block(u, block))
        return;
    for (node_id s = node_of(u, block)->first; s != r->first; s = node_of(u, s)->next) {
        int step = lock_step(u, s, expression);
        opened = step > 0 ? s : step < 0 ? NONE : opened;
    }
    if (opened != NONE)
        r->first = opened;
    opened = NONE;
    for (node_id s = r->first; s != NONE; s = node_of(u, s)->next) {
        int step = lock_step(u, s, expression);
        opened = step > 0 ? s : step < 0 ? NONE : opened;
        if (s == r->last)
            break;
    }
    if (opened == NONE)
        return;
    if (is_guard(u, opened, expression)) {
        r->last = node_of(u, block)->last;
        return;
    }
    for (node_id s = node_of(u, r->last)->next; s != NONE; s = node_of(u, s)->next)
        if (lock_step(u, s, expression) != 0) {
            r->last = s;
            return;
        }
}

static bool is_jump_mark(const struct node *n)
{
    return n->kind == NODE_CALL &&
           (strcmp(n->name, "setjmp") == 0 || strcmp(n->name, "_setjmp") == 0 ||
            strcmp(n->name, "__sigsetjmp") == 0);
}

static int check_place(const struct unit *u, struct range r, struct err *err)
{
    const struct node *first = node_of(u, r.first), *last = node_of(u, r.last);
    const struct source_file *f = &u->files.at[first->file];
    if (first->is_macro && node_of(u, first->parent)->is_macro)
        return err_set(err, "it is inside a macro");
    if (first->file != last->file)
        return err_set(err, "it begins in one file and ends in another");
    if (condition_at(f, first->start) != condition_at(f, statement_end(u, r.last)))
        return err_set(err, "%s:%u: it begins and ends in different #if groups", f->path,
                       file_line(f, first->start));
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n))
            if (node_of(u, n)->kind == NODE_LEAP)
                return err_set(err, "it contains a computed goto");
            else if (is_jump_mark(node_of(u, n)))
                return err_set(err, "a longjmp may come back into it");
        if (s == r.last)
            break;
    }
    return 0;
}

int section_fit(const struct unit *u, const struct lock_use *lock, struct range *r,
                struct err *err)
{
    for (;;) {
        take_in(u, r, lock->expression);
        node_id entry = find_entry(u, *r);
        if (entry == NONE)
            return check_place(u, *r, err) < 0 ? -1
                                               : check_object(u, *r, lock->expression, err);
        struct range with = {entry, entry};
        if (node_of(u, entry)->kind == NODE_GOTO)
            with.first = with.last = node_statement(u, entry);
        if (range_join(u, *r, with, r, err) < 0)
            return err_in(err, "a jump leads into the section");
    }
}

/* ---- ways out --------------------------------------------------------------------------- */

static bool is_loop(enum node_kind kind)
{
    return kind == NODE_WHILE || kind == NODE_DO || kind == NODE_FOR;
}

/* Where break (continue) goes: out of this. */
static node_id jump_target(const struct unit *u, node_id n, bool is_break)
{
    for (n = node_of(u, n)->parent; n != NONE; n = node_of(u, n)->parent)
        if (is_loop(node_of(u, n)->kind) || (is_break && node_of(u, n)->kind == NODE_SWITCH))
            return n;
    return NONE;
}

/* A call that does not come back, while the program goes on. */
static bool is_departure(const struct node *n)
{
    static const char *const names[] = {"pthread_exit", "thrd_exit", "longjmp", "_longjmp",
                                        "siglongjmp"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (n->kind == NODE_CALL && strcmp(n->name, names[i]) == 0)
            return true;
    return false;
}

/* Is it thrown in a try block of the range? Then it most likely ends there. */
static bool is_caught(const struct unit *u, struct range r, node_id n)
{
    for (node_id p = n; p != NONE && range_has(u, r, p); p = node_of(u, p)->parent) {
        node_id above = node_of(u, p)->parent;
        if (above != NONE && node_of(u, above)->kind == NODE_TRY &&
            node_of(u, above)->first == p && range_has(u, r, above))
            return true;
    }
    return false;
}

bool statement_leaves(const struct unit *u, struct range r, node_id n)
{
    const struct node *node = node_of(u, n);
    switch (node->kind) {
    case NODE_RETURN:
        return true;
    case NODE_BREAK:
        return !range_has(u, r, jump_target(u, n, true));
    case NODE_CONTINUE:
        return !range_has(u, r, jump_target(u, n, false));
    case NODE_GOTO: {
        node_id label = node->first != NONE ? node_of(u, node->first)->declared : NONE;
        bool is_lead = label != NONE && node_is_in(u, statement_core(u, r.first), label) &&
                       node_of(u, label)->kind == NODE_LABEL;
        return label == NONE || is_lead || !range_has(u, r, label);
    }
    case NODE_CALL:
        return is_departure(node);
    case NODE_THROW:
        return !is_caught(u, r, n);
    default:
        return false;
    }
}

static bool is_address_taken(const struct unit *u, node_id declared)
{
    node_id function = node_function(u, declared);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        node_id of = node_of(u, n)->kind == NODE_TAKE ? node_of(u, n)->first : NONE;
        if (of != NONE && node_of(u, of)->declared == declared)
            return true;
    }
    return false;
}

/* A variable that is not this call's own, or a reference to what may not be. */
static bool names_shared(const struct unit *u, node_id name)
{
    node_id declared = node_of(u, name)->declared;
    if (declared == NONE)
        return false;
    const struct node *d = node_of(u, declared);
    if (d->kind != NODE_VARIABLE && d->kind != NODE_PARAMETER)
        return false;
    return d->is_global || d->is_static || (u->is_cxx && strchr(d->type, '&') != NULL) ||
           node_function(u, name) != node_function(u, declared) || /* a lambda's around it */
           is_address_taken(u, declared);
}

/* May what it computes change when the lock is given back first? */
static bool depends_on_shared(const struct unit *u, node_id root)
{
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        const struct node *node = node_of(u, n);
        switch (node->kind) {
        case NODE_CALL:
        case NODE_MEMBER:
        case NODE_INDEX:
        case NODE_DEREF:
        case NODE_STEP:
        case NODE_ASSIGN:
        case NODE_BLOCK_VALUE:
            return true;
        case NODE_NAME:
            if (names_shared(u, n))
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

/* Does it name what others can change? */
static bool reads_shared(const struct unit *u, node_id root)
{
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        const struct node *node = node_of(u, n);
        bool is_place =
            node->kind == NODE_MEMBER || node->kind == NODE_INDEX || node->kind == NODE_DEREF;
        if (is_place || (node->kind == NODE_NAME && names_shared(u, n)))
            return true;
    }
    return false;
}

/* What the return computes is computed before the lock is given back. */
static void value_first(struct unit *u, node_id n, node_id statement, struct patch *out)
{
    const struct node *node = node_of(u, n), *value = node_of(u, node->first);
    AUTO(str) struct str text = {0};
    struct text computed = node_text(u, node->first);
    const char *type = node_of(u, node_function(u, n))->type;
    if (strcmp(type, "void") == 0) {
        str_add(&text, "%.*s;", TEXT_ARG(computed));
        unit_insert(u, statement, INSERT_VALUE, text.at);
        uint32_t behind = node->start + (uint32_t)strlen("return");
        patch_add(out, u->files.at[node->file].path, behind, value->end - behind, "",
                  EDIT_OPEN);
        return;
    }
    const char *name = unit_fresh(u, "result");
    size_t len = strlen(type);
    bool is_odd = strchr(type, '(') || strchr(type, '[') || !len;
    if (is_odd && u->is_cxx)
        str_add(&text, "auto %s = %.*s;", name, TEXT_ARG(computed));
    else if (is_odd)
        str_add(&text, "__typeof__(%s) %s = %.*s;", type, name, TEXT_ARG(computed));
    else
        str_add(&text, "%s%s%s = %.*s;", type, strchr("*&", type[len - 1]) ? "" : " ", name,
                TEXT_ARG(computed));
    unit_insert(u, statement, INSERT_VALUE, text.at);
    replace_node(u, node->first, name, out);
}

int unlock_before(struct unit *u, node_id n, const char *unlock, struct patch *out,
                  struct err *err)
{
    const struct node *node = node_of(u, n);
    node_id statement = node_statement(u, n);
    if (node->is_macro && node_of(u, node->parent)->is_macro)
        return err_set(err, "%s:%u: a macro leaves the section from inside",
                       u->files.at[node->file].path,
                       file_line(&u->files.at[node->file], node->start));
    bool has_value = (node->kind == NODE_RETURN || node->kind == NODE_THROW) &&
                     node->first != NONE && depends_on_shared(u, node->first);
    if (has_value && node->is_macro)
        return err_set(err, "%s:%u: what a macro returns is computed in the section",
                       u->files.at[node->file].path,
                       file_line(&u->files.at[node->file], node->start));
    bool is_thrown = has_value && node->kind == NODE_THROW;
    bool is_call = node->kind == NODE_CALL && node->last != node->first;
    if ((is_thrown && reads_shared(u, n)) || (is_call && reads_shared(u, node->last)))
        return err_set(err, "%s:%u: what is %s is read in the section",
                       u->files.at[node->file].path,
                       file_line(&u->files.at[node->file], node->start),
                       is_thrown ? "thrown" : "handed over");
    if (has_value && node->kind == NODE_RETURN && !is_inserted(u, statement, INSERT_VALUE))
        value_first(u, n, statement, out);
    unit_insert(u, statement, INSERT_LEAVE, unlock);
    return 0;
}

static bool is_jump(enum node_kind kind)
{
    return kind == NODE_BREAK || kind == NODE_CONTINUE || kind == NODE_GOTO;
}

/* Ways out that the parser does not see are left to the person. */
static void note_hidden(const struct unit *u, struct range r, struct patch *out)
{
    const struct node *first = node_of(u, r.first);
    const struct source_file *f = &u->files.at[first->file];
    const char *slash = strrchr(f->path, '/');
    uint32_t at = hidden_jump(u, first->file, first->start, node_of(u, r.last)->end);
    if (at != NONE)
        patch_note(out,
                   "%s:%u is not compiled in this build; if it leaves the section, it must "
                   "give the lock back.",
                   slash ? slash + 1 : f->path, file_line(f, at));
}

int unlock_ways_out(struct unit *u, struct range r, const char *expression, const char *unlock,
                    bool jumps_only, struct patch *out, struct err *err)
{
    if (!jumps_only)
        note_hidden(u, r, out);
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE;) {
            if (node_of(u, n)->kind == NODE_LAMBDA) { /* its jumps are its own */
                while (n != s && node_of(u, n)->next == NONE)
                    n = node_of(u, n)->parent;
                n = n == s ? NONE : node_of(u, n)->next;
                continue;
            }
            bool is_meant = !jumps_only || is_jump(node_of(u, n)->kind);
            if (is_meant && statement_leaves(u, r, n) && !is_left_before(u, n, expression) &&
                unlock_before(u, n, unlock, out, err) < 0)
                return -1;
            n = node_walk(u, s, n);
        }
        if (s == r.last)
            break;
    }
    return 0;
}

int section_leave(struct unit *u, node_id n, const struct lock_use *lock, struct patch *out,
                  struct err *err)
{
    return unlock_before(u, n, lock_call(u, n, lock, false), out, err);
}

/* ---- the section ------------------------------------------------------------------------ */

int section_dissolve(struct unit *u, struct range r, const char *expression, struct patch *out,
                     struct err *err)
{
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            node_id statement = node_of(u, n)->kind == NODE_CALL ? node_statement(u, n) : n;
            bool is_call_of_it =
                call_is_lock(u, n, expression) || call_is_unlock(u, n, expression);
            if (is_call_of_it && lock_step(u, statement, expression) == 0)
                return node_of(u, n)->is_macro
                           ? err_set(err, "a macro does more than to take %s", expression)
                           : err_set(err, "the result of locking %s is used", expression);
            if (is_call_of_it || is_guard(u, n, expression))
                remove_statement(u, statement, out);
        }
        if (s == r.last)
            break;
    }
    return 0;
}

/* Nothing comes to what stands behind it. */
bool ends_in_jump(const struct unit *u, node_id statement)
{
    node_id core = statement_core(u, statement);
    const struct node *n = node_of(u, core);
    switch (n->kind) {
    case NODE_RETURN:
    case NODE_GOTO:
    case NODE_BREAK:
    case NODE_CONTINUE:
        return true;
    case NODE_COMPOUND:
        return n->last != NONE && ends_in_jump(u, n->last);
    case NODE_IF:
        return if_else(u, core) != NONE && ends_in_jump(u, if_then(u, core)) &&
               ends_in_jump(u, if_else(u, core));
    default:
        return false;
    }
}

static node_id last_before(const struct unit *u, node_id from, node_id statement)
{
    node_id s = from;
    while (node_of(u, s)->next != statement)
        s = node_of(u, s)->next;
    return s;
}

int section_make(struct unit *u, struct range r, const struct lock_use *lock, struct patch *out,
                 struct err *err)
{
    if (lock->sort == LOCK_CXX)
        return guard_make(u, r, lock, out, err);
    const char *e = lock->expression, *unlock = lock_call(u, r.first, lock, false);
    struct range rest = r; /* a call that is where it should be stays as it is written */
    if (r.first != r.last && lock_step(u, r.first, e) > 0)
        rest.first = node_of(u, r.first)->next;
    else
        unit_insert(u, statement_core(u, r.first), INSERT_OPEN,
                    lock_call(u, r.first, lock, true));
    if (leave_before_end(u, &r, e, unlock, err) < 0)
        return -1;
    bool is_closed =
        rest.first != rest.last && r.last == rest.last && lock_step(u, r.last, e) < 0;
    if (is_closed)
        rest.last = last_before(u, rest.first, rest.last);
    if (section_dissolve(u, rest, e, out, err) < 0 ||
        unlock_ways_out(u, r, e, unlock, false, out, err) < 0)
        return -1;
    if (!ends_in_jump(u, r.last) && !is_closed)
        unit_insert(u, r.last, INSERT_CLOSE, unlock);
    return 0;
}
