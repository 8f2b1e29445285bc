/* SPDX-License-Identifier: Apache-2.0
 *
 * locks: which lock a section takes, and how it is written at a place. Existing locks come
 * first, then one for each object, then one for all. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* ---- the choice ------------------------------------------------------------------------- */

/* The call that takes the lock, and with it its sort and spelling. */
static const char *spelled_at(struct codebase *code, const struct code_site *site,
                              enum lock_sort *sort)
{
    struct node_ref s = codebase_find(code, site);
    if (s.node == NONE)
        return NULL;
    struct unit *u = codebase_unit(code, s.unit);
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

/* The first access of the variable that the source shows. */
static struct node_ref access_of(struct codebase *code, const struct guard *g)
{
    for (uint32_t i = 0; g && i < g->uses.len; i++) {
        struct node_ref s = codebase_find(code, &g->uses.at[i].site);
        s.node = s.node == NONE ? NONE : codebase_access(code, s, g->uses.at[i].site.name);
        if (s.node != NONE)
            return s;
    }
    return (struct node_ref){0, NONE};
}

static node_id find_global(const struct unit *u, const char *name, size_t len)
{
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        if (node->kind == NODE_VARIABLE && node->is_global && strlen(node->name) == len &&
            memcmp(node->name, name, len) == 0)
            return n;
    }
    return NONE;
}

/* "lock" of "accounts.lock"; NULL: the name has no member, as "inv(a.cpp:3)". */
static const char *member_name(const char *lock)
{
    const char *dot = strrchr(lock, '.');
    for (const char *p = dot ? dot + 1 : ""; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_')
            return NULL;
    return dot && dot[1] ? dot + 1 : NULL;
}

/* A lock that is taken in a library's code, as std::lock_guard does: its declaration says what
 * it is. */
static const char *declared_as(struct codebase *code, const struct guard *g,
                               enum lock_sort *sort)
{
    struct node_ref s = access_of(code, g);
    struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
    node_id lock = NONE;
    const char *name = g->lock, *member = member_name(g->lock);
    if (!u)
        return NULL;
    if (g->bond == GUARD_BOND_OWN) {
        node_id record = record_of_access(u, s.node);
        lock = record == NONE ? NONE
               : member       ? record_field(u, record, member)
                              : record_lock(u, record);
        if (lock != NONE)
            name = keep_text(code, "%s.%s", g->object, node_of(u, lock)->name);
    } else if (g->bond == GUARD_BOND_GLOBAL) {
        lock = find_global(u, g->lock, strlen(g->lock));
    }
    return lock != NONE && is_lock_type(u, node_of(u, lock)->type, sort) ? name : NULL;
}

static bool is_usable(const struct guard *g)
{
    return g && g->bond != GUARD_BOND_NONE && g->bond != GUARD_BOND_OTHER && *g->lock;
}

/* "accounts.amount" is part of accounts, "heap(a.c:3).next" of something without a name. */
const char *name_stem(struct codebase *code, const char *variable)
{
    const char *from = variable;
    if (name_has_place(variable) || strchr(variable, '#'))
        from = strrchr(variable, '.') ? strrchr(variable, '.') + 1 : "data";
    size_t len = 0;
    while (isalnum((unsigned char)from[len]) || from[len] == '_')
        len++;
    while (len > 0 && from[len - 1] == '_')
        len--;
    if (len == 0 || from[0] == '_') { /* a library's: such names are not ours to take */
        from = "data";
        len = 4;
    }
    return keep_text(code, "%.*s", (int)len, from);
}

/* What a library calls its own, "heap(a.cpp:3)._M_use_count", is part of a variable that the
 * source names. */
static const char *name_in_source(struct codebase *code, const char *variable)
{
    const char *field = strrchr(variable, '.');
    struct node_ref s = {0, NONE};
    if (field && field[1] == '_')
        s = access_of(code, codebase_guard(code, variable));
    return s.node == NONE ? variable : node_of(codebase_unit(code, s.unit), s.node)->name;
}

static void add_choice(struct codebase *code, const struct guard *g, lock_choices *out)
{
    struct lock_choice one = {.guard = g, .sort = LOCK_PTHREAD};
    for (uint32_t k = 0; k < out->len; k++)
        if (g && strcmp(out->at[k].guard->lock, g->lock) == 0)
            return;
    if (!is_usable(g))
        return;
    bool is_named = g->bond != GUARD_BOND_OWN || member_name(g->lock);
    one.name = is_named && spelled_at(code, &g->locked_at, &one.sort)
                   ? g->lock
                   : declared_as(code, g, &one.sort);
    if (one.name)
        vec_push(out, one);
}

/* What guards other parts of the same object is meant for this part too. */
static void add_related(struct codebase *code, const struct guard *g, lock_choices *out)
{
    for (uint32_t i = 0; i < code->guards->guards.len; i++) {
        const struct guard *other = &code->guards->guards.at[i];
        if (other != g && *other->field && strcmp(other->object, g->object) == 0)
            add_choice(code, other, out);
    }
}

static enum lock_sort lock_sort_of(const struct unit *u, node_id lock)
{
    enum lock_sort sort = LOCK_PTHREAD;
    bool is_lock = is_lock_type(u, node_of(u, lock)->type, &sort);
    CHECK(is_lock);
    return sort;
}

/* The one that the record has, if no other is known; and a new one in each object. */
static void add_member(struct codebase *code, const char *variable, lock_choices *out)
{
    struct node_ref s = access_of(code, codebase_guard(code, variable));
    struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
    node_id record = u ? record_of_access(u, s.node) : NONE;
    if (record == NONE)
        return;
    for (uint32_t i = 0; i < out->len; i++)
        if (out->at[i].record.node == record && out->at[i].record.unit == s.unit)
            return;
    node_id known = record_lock(u, record);
    if (known != NONE && !out->len)
        vec_push(out, (struct lock_choice){.sort = lock_sort_of(u, known),
                                           .name = node_of(u, known)->name,
                                           .variable = variable,
                                           .record = {s.unit, record},
                                           .is_there = true});
    const char *field = node_of(u, s.node)->name;
    bool has_tail = field[0] && field[strlen(field) - 1] == '_';
    const char *name = has_tail ? "lock_" : "lock";
    if (record_field(u, record, name) != NONE)
        name = unit_fresh(u, keep_text(code, "%s%s", field, has_tail ? name : "_lock"));
    vec_push(out, (struct lock_choice){.sort = u->is_cxx ? LOCK_CXX : LOCK_PTHREAD,
                                       .name = name,
                                       .variable = variable,
                                       .record = {s.unit, record}});
}

void locks_list(struct codebase *code, const struct cause *c, lock_choices *out)
{
    for (uint32_t i = 0; i < c->variable_count; i++)
        add_choice(code, codebase_guard(code, c->variables[i]), out);
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct guard *g = codebase_guard(code, c->variables[i]);
        if (g && *g->field)
            add_related(code, g, out);
    }
    struct node_ref s = codebase_find(code, &c->steps[0].site);
    struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
    if (!u)
        return;
    for (uint32_t i = 0; i < c->variable_count; i++)
        add_member(code, c->variables[i], out);
    const char *variable = c->variables[0]; /* or what a library's code works for */
    for (uint32_t i = 0; i < c->variable_count && variable == c->variables[0]; i++)
        if (name_in_source(code, c->variables[i]) != c->variables[i])
            variable = name_in_source(code, c->variables[i]);
    vec_push(out,
             (struct lock_choice){
                 .sort = u->is_cxx ? LOCK_CXX : LOCK_PTHREAD,
                 .name = unit_fresh(u, keep_text(code, "%s_lock", name_stem(code, variable))),
                 .variable = variable});
}

/* ---- spelling --------------------------------------------------------------------------- */

/* Is it a static member of a class, and the place in none of its methods? */
static bool is_out_of_class(const struct unit *u, const char *name, size_t len, node_id place)
{
    node_id function = place == NONE ? NONE : node_function(u, place);
    for (node_id n = 1; n < u->nodes.len && function != NONE; n++) {
        const struct node *node = node_of(u, n);
        node_id record = node->parent;
        if (node->kind != NODE_VARIABLE || strlen(node->name) != len ||
            memcmp(node->name, name, len) != 0 || node_of(u, record)->kind != NODE_RECORD)
            continue;
        return node_of(u, function)->declared != record && !node_is_in(u, function, record);
    }
    return false;
}

/* Is a global object of this class, or of one made of this template, called so? */
static bool is_object_of(const struct unit *u, const char *name, node_id record)
{
    node_id object = find_global(u, name, strlen(name));
    const char *type = object == NONE ? "" : node_of(u, object)->type;
    size_t len = strlen(node_of(u, record)->name);
    return len && strncmp(type, node_of(u, record)->name, len) == 0 &&
           (type[len] == 0 || type[len] == '<');
}

/* "claimed.mutex_" of a global object is "mutex_" in methods of its class, and so is "claimed"
 * if it has no other lock; NULL: the place is in none. */
static const char *spell_in_method(const struct unit *u, const char *name, node_id place)
{
    const char *member = member_name(name);
    node_id function = place == NONE || !u->is_cxx ? NONE : node_function(u, place);
    node_id record = function == NONE ? NONE : node_of(u, function)->declared;
    if (function != NONE && record == NONE)
        record = node_of(u, function)->parent;
    if (record == NONE || node_of(u, record)->kind != NODE_RECORD)
        return NULL;
    node_id field = member                          ? record_field(u, record, member)
                    : is_object_of(u, name, record) ? record_lock(u, record)
                                                    : NONE;
    enum lock_sort sort;
    return field != NONE && is_lock_type(u, node_of(u, field)->type, &sort)
               ? node_of(u, field)->name
               : NULL;
}

static const char *spell_global(struct codebase *code, const struct lock_choice *l,
                                uint32_t unit, node_id access, struct err *err)
{
    size_t len = 0;
    while (isalnum((unsigned char)l->name[len]) || l->name[len] == '_')
        len++;
    const struct unit *u = codebase_unit(code, unit);
    if (wrapper_knows(u, l->name))
        return l->name;
    const char *own = spell_in_method(u, l->name, access);
    if (own)
        return own;
    if (find_global(u, l->name, len) == NONE || strchr(l->name, '(') ||
        is_out_of_class(u, l->name, len, access)) {
        err_set(err, "lock %s cannot be named in %s", l->name, code->units.at[unit].path);
        return NULL;
    }
    return l->name;
}

/* A lock of another object than the one accessed, as the function calls it: t->lock for what
 * t->first points to. NULL: it does not, or in several ways. */
static const char *spell_near(struct codebase *code, uint32_t unit, node_id access,
                              const char *field)
{
    const struct unit *u = codebase_unit(code, unit);
    node_id function = node_function(u, access);
    struct text found = {0};
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        const struct node *node = node_of(u, n);
        if (node->kind != NODE_MEMBER || strcmp(node->name, field) != 0)
            continue;
        struct text t = node_text(u, n);
        if (found.len && (t.len != found.len || memcmp(t.at, found.at, t.len) != 0))
            return NULL;
        found = t;
    }
    return found.len ? keep_text(code, "%.*s", TEXT_ARG(found)) : NULL;
}

/* What a macro accesses, COUNT(a) for (a)->count, has its lock beside it. */
static const char *spell_in_macro(struct codebase *code, const struct unit *u, node_id access,
                                  const char *field, struct err *err)
{
    AUTO(str) struct str text = {0};
    const struct node *n = node_of(u, access);
    size_t len = strlen(n->name);
    CHECK(n->kind == NODE_MEMBER && n->is_macro);
    if (!node_spell(u, access, &text) || text.len <= len) {
        err_set(err, "what a macro accesses has no name here");
        return NULL;
    }
    return keep_text(code, "%.*s%s", (int)(text.len - len), text.at, field);
}

/* a->amount is guarded by a->lock. */
static const char *spell_own(struct codebase *code, const struct lock_choice *l, uint32_t unit,
                             node_id access, struct err *err)
{
    const struct unit *u = codebase_unit(code, unit);
    const char *member = member_name(l->name), *field = member ? member : l->name;
    node_id record = access == NONE ? NONE : record_of_access(u, access);
    bool is_new = !l->guard && !l->is_there; /* the record will have it */
    bool is_missing = !is_new && record != NONE && record_field(u, record, field) == NONE;
    node_id part = is_missing ? record_part_with(u, record, field) : NONE;
    if (part != NONE) { /* a monitor inside: ch->mon.mutex */
        field = keep_text(code, "%s.%s", node_of(u, part)->name, field);
    } else if (is_missing) {
        const char *near = spell_near(code, unit, access, field);
        if (near)
            return near;
        err_set(err, "an access is not one of the object that has the lock %s", field);
        return NULL;
    }
    if (access != NONE && node_of(u, access)->kind == NODE_MEMBER) {
        const struct node *n = node_of(u, access);
        if (n->first == NONE)
            return field; /* this->field in C++ */
        if (n->is_macro)
            return spell_in_macro(code, u, access, field, err);
        struct text base = node_text(u, n->first), all = node_text(u, access);
        bool is_arrow = all.len > base.len + 2 && strncmp(all.at + base.len, "->", 2) == 0;
        return keep_text(code, "%.*s%s%s", TEXT_ARG(base), is_arrow ? "->" : ".", field);
    }
    err_set(err, "the object whose %s is meant has no name here", field);
    return NULL;
}

/* rows[i] is guarded by locks[i]. */
static const char *spell_index(struct codebase *code, const struct lock_choice *l,
                               uint32_t unit, node_id access, struct err *err)
{
    const struct unit *u = codebase_unit(code, unit);
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
        return keep_text(code, "%.*s[%.*s]", (int)len, l->name, TEXT_ARG(index));
    }
    err_set(err, "the index whose lock is meant has no name here");
    return NULL;
}

/* A new member: only objects of its record have it. */
static const char *spell_member(struct codebase *code, const struct lock_choice *l,
                                uint32_t unit, node_id access, struct err *err)
{
    const struct unit *u = codebase_unit(code, unit),
                      *home = codebase_unit(code, l->record.unit);
    node_id record = record_of_access(u, access);
    if (record == NONE || record_like(home, u, record) != l->record.node) {
        err_set(err, "not every access is one of a %s", node_of(home, l->record.node)->name);
        return NULL;
    }
    return spell_own(code, l, unit, access, err);
}

const char *lock_spell(struct codebase *code, const struct lock_choice *l, uint32_t unit,
                       node_id access, struct err *err)
{
    CHECK(unit < code->units.len && l->sort < LOCK_SORTS);
    if (!l->guard && !l->text && l->record.node)
        return spell_member(code, l, unit, access, err);
    if (!l->guard)
        return l->text ? l->text : l->name;
    switch (l->guard->bond) {
    case GUARD_BOND_GLOBAL:
        return spell_global(code, l, unit, access, err);
    case GUARD_BOND_OWN:
        return spell_own(code, l, unit, access, err);
    case GUARD_BOND_INDEX:
        return spell_index(code, l, unit, access, err);
    default:
        err_set(err, "%s has no lock that can be named", l->guard->variable);
        return NULL;
    }
}
