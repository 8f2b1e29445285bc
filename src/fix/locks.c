/* SPDX-License-Identifier: Apache-2.0
 *
 * locks: which lock a section takes, how it is written at a place, and where a new one is
 * declared. Existing locks come first. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* ---- the choice ------------------------------------------------------------------------- */

/* The call that takes the lock, and with it its sort and spelling. */
static const char *spelled_at(struct yard *y, const struct fix_site *site, enum lock_sort *sort)
{
    struct spot s = yard_find(y, site);
    if (s.node == NONE)
        return NULL;
    struct unit *u = yard_unit(y, s.unit);
    node_id statement = node_statement(u, s.node);
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n)) {
        const char *text = call_lock(u, n, sort);
        if (text)
            return text;
    }
    if (u->is_cxx && statement != NONE && node_of(u, statement)->kind == NODE_DECLARATION) {
        *sort = LOCK_CXX; /* std::lock_guard<std::mutex> g(m); */
        return "";
    }
    return NULL;
}

static bool is_usable(const struct fix_guard *g)
{
    return g && g->bond != FIX_BOND_NONE && g->bond != FIX_BOND_OTHER && *g->lock;
}

/* "accounts.amount" is part of accounts, "heap(a.c:3).next" of something without a name. */
static const char *lock_name(struct yard *y, const char *variable)
{
    const char *from = variable;
    if (strncmp(variable, "heap(", 5) == 0 || strncmp(variable, "stack(", 6) == 0 ||
        strchr(variable, '#'))
        from = strrchr(variable, '.') ? strrchr(variable, '.') + 1 : "data";
    size_t len = 0;
    while (isalnum((unsigned char)from[len]) || from[len] == '_')
        len++;
    return keep_text(y, "%.*s_lock", len ? (int)len : 4, len ? from : "data");
}

static void add_choice(struct yard *y, const struct fix_guard *g, lock_choices *out)
{
    struct lock_choice one = {.guard = g, .sort = LOCK_PTHREAD};
    for (uint32_t k = 0; k < out->len; k++)
        if (g && strcmp(out->at[k].guard->lock, g->lock) == 0)
            return;
    if (!is_usable(g) || !spelled_at(y, &g->locked_at, &one.sort))
        return;
    one.name = g->lock;
    vec_push(out, one);
}

/* What guards other parts of the same object is meant for this part too. */
static void add_related(struct yard *y, const struct fix_guard *g, lock_choices *out)
{
    for (uint32_t i = 0; i < y->guards->guards.len; i++) {
        const struct fix_guard *other = &y->guards->guards.at[i];
        if (other != g && *other->field && strcmp(other->object, g->object) == 0)
            add_choice(y, other, out);
    }
}

void locks_list(struct yard *y, const struct fix_cause *c, lock_choices *out)
{
    for (uint32_t i = 0; i < c->variable_count; i++)
        add_choice(y, yard_guard(y, c->variables[i]), out);
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct fix_guard *g = yard_guard(y, c->variables[i]);
        if (g && *g->field)
            add_related(y, g, out);
    }
    struct spot s = yard_find(y, &c->steps[0].site);
    struct unit *u = s.node == NONE ? NULL : yard_unit(y, s.unit);
    struct lock_choice fresh = {.sort = u && u->is_cxx ? LOCK_CXX : LOCK_PTHREAD,
                                .variable = c->variables[0]};
    if (u) {
        fresh.name = unit_fresh(u, lock_name(y, c->variables[0]));
        vec_push(out, fresh);
    }
}

/* ---- spelling --------------------------------------------------------------------------- */

static bool has_global(const struct unit *u, const char *name, size_t len)
{
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        if (node->kind == NODE_VARIABLE && node->is_global && strlen(node->name) == len &&
            memcmp(node->name, name, len) == 0)
            return true;
    }
    return false;
}

static const char *spell_global(struct yard *y, const struct lock_choice *l, uint32_t unit,
                                struct err *err)
{
    size_t len = 0;
    while (isalnum((unsigned char)l->name[len]) || l->name[len] == '_')
        len++;
    if (!has_global(yard_unit(y, unit), l->name, len) || strchr(l->name, '(')) {
        err_set(err, "lock %s cannot be named in %s", l->name, y->units.at[unit].path);
        return NULL;
    }
    return l->name;
}

/* a->amount is guarded by a->lock. */
static const char *spell_own(struct yard *y, const struct lock_choice *l, uint32_t unit,
                             node_id access, struct err *err)
{
    const struct unit *u = yard_unit(y, unit);
    const char *dot = strrchr(l->name, '.');
    const char *field = dot ? dot + 1 : l->name;
    if (access != NONE && node_of(u, access)->kind == NODE_MEMBER) {
        const struct node *n = node_of(u, access);
        if (n->first == NONE)
            return field; /* this->field in C++ */
        struct text base = node_text(u, n->first), all = node_text(u, access);
        bool is_arrow = all.len > base.len + 2 && strncmp(all.at + base.len, "->", 2) == 0;
        return keep_text(y, "%.*s%s%s", TEXT_ARG(base), is_arrow ? "->" : ".", field);
    }
    err_set(err, "the object whose %s is meant has no name here", field);
    return NULL;
}

/* rows[i] is guarded by locks[i]. */
static const char *spell_index(struct yard *y, const struct lock_choice *l, uint32_t unit,
                               node_id access, struct err *err)
{
    const struct unit *u = yard_unit(y, unit);
    size_t len = strcspn(l->name, "[");
    for (node_id n = access; n != NONE && node_of(u, n)->kind != NODE_COMPOUND;
         n = node_of(u, n)->parent) {
        node_id inner = n;
        while (inner != NONE && node_of(u, inner)->kind == NODE_MEMBER)
            inner = node_of(u, inner)->first;
        while (inner != NONE && node_of(u, inner)->kind == NODE_OTHER)
            inner = node_of(u, inner)->first;
        if (inner == NONE || node_of(u, inner)->kind != NODE_INDEX)
            continue;
        struct text index = node_text(u, node_of(u, inner)->last);
        return keep_text(y, "%.*s[%.*s]", (int)len, l->name, TEXT_ARG(index));
    }
    err_set(err, "the index whose lock is meant has no name here");
    return NULL;
}

const char *lock_spell(struct yard *y, const struct lock_choice *l, uint32_t unit,
                       node_id access, struct err *err)
{
    if (!l->guard)
        return l->text ? l->text : l->name;
    switch (l->guard->bond) {
    case FIX_BOND_GLOBAL:
        return spell_global(y, l, unit, err);
    case FIX_BOND_OWN:
        return spell_own(y, l, unit, access, err);
    case FIX_BOND_INDEX:
        return spell_index(y, l, unit, access, err);
    default:
        err_set(err, "%s has no lock that can be named", l->guard->variable);
        return NULL;
    }
}

/* ---- a new one -------------------------------------------------------------------------- */

/* Where the variable lives: its definition, or the record it is a field of. */
static node_id home_in(const struct unit *u, const char *variable)
{
    const char *dot = strrchr(variable, '.');
    const char *field = dot ? dot + 1 : variable;
    size_t len = strcspn(variable, ".[");
    node_id record = NONE;
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        bool is_extern = node->kind == NODE_VARIABLE && node_text(u, n).len > 7 &&
                         strncmp(node_text(u, n).at, "extern ", 7) == 0;
        if (node->kind == NODE_VARIABLE && node->is_global && node->parent == 0 && !is_extern &&
            strlen(node->name) == len && memcmp(node->name, variable, len) == 0)
            return n;
        if (node->kind == NODE_FIELD && node_of(u, node->parent)->parent == 0 &&
            record == NONE && strcmp(node->name, field) == 0)
            record = node->parent;
    }
    return record;
}

/* The first function of the file, or the declaration before it. */
static node_id before_functions(const struct unit *u, uint32_t file)
{
    node_id last = NONE;
    for (node_id n = node_of(u, 0)->first; n != NONE; n = node_of(u, n)->next) {
        if (node_of(u, n)->file != file)
            continue;
        if (node_of(u, n)->kind == NODE_FUNCTION)
            break;
        last = n;
    }
    return last;
}

static void put_declaration(struct unit *u, node_id behind, uint32_t file, const char *text,
                            struct patch *out)
{
    node_id at = behind != NONE ? behind : before_functions(u, file);
    if (at != NONE)
        declare_behind(u, at, text, out);
    else
        declare_first(u, file, text, out);
}

int lock_declare(struct yard *y, const struct lock_choice *l, const bool *used,
                 struct patch *out, struct err *err)
{
    uint32_t count = 0, owner = NONE;
    node_id home = NONE;
    for (uint32_t i = 0; i < y->units.len; i++)
        count += used[i];
    for (uint32_t i = 0; i < y->units.len && home == NONE; i++) {
        struct unit *u = used[i] ? yard_unit(y, i) : NULL;
        home = u ? home_in(u, l->variable) : NONE;
        if (home != NONE && node_of(u, home)->file != 0)
            home = NONE; /* in a header: every unit would have one of its own */
        owner = home != NONE || (owner == NONE && used[i]) ? i : owner;
    }
    if (owner == NONE)
        return err_set(err, "there is no place for a new lock");
    bool is_cxx = l->sort == LOCK_CXX;
    const char *type = is_cxx ? "std::mutex" : "pthread_mutex_t";
    for (uint32_t i = 0; i < y->units.len; i++) {
        struct unit *u = used[i] ? yard_unit(y, i) : NULL;
        if (!u)
            continue;
        const char *text =
            i != owner ? keep_text(y, "extern %s %s;", type, l->name)
                       : keep_text(y, "%s%s %s%s;", count == 1 ? "static " : "", type, l->name,
                                   is_cxx ? "" : " = PTHREAD_MUTEX_INITIALIZER");
        include_header(u, 0, is_cxx ? "mutex" : "pthread.h", out);
        put_declaration(u, i == owner ? home : NONE, 0, text, out);
    }
    return 0;
}
