/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-recount: a look-up counts who it gives an object to, but not on each way out:
 *     img = find(other); unlock(); return img;
 *     ...
 *     img->refs++; unlock(); return img;
 * Or on none, while its callers say when they are done. The object goes when others are
 * done with it. It is counted on every way, under the lock, as the program does elsewhere. */
#include "fix/recipe.h"

#include <string.h>

enum { WAYS_MAX = 8 };

/* A way out that gives the object to the caller. */
struct way_out {
    node_id place; /* the statement before which it is counted: what gives the lock back */
    node_id variable;
    bool is_counted;
};

struct look_up {
    struct node_ref function;
    const char *record;
    struct way_out ways[WAYS_MAX];
    uint32_t count, counted;
};

/* ---- steps of a counter ------------------------------------------------------------------ */

/* The name that an expression consists of; NONE: it is more. */
static node_id name_in(const struct unit *u, node_id n)
{
    while (n != NONE && node_of(u, n)->kind == NODE_OTHER)
        n = node_of(u, n)->first;
    return n != NONE && node_of(u, n)->kind == NODE_NAME ? n : NONE;
}

/* The member that the node counts up (1) or down (-1), of what a variable points to; NONE. */
static node_id member_counted(const struct unit *u, node_id n, const char *record, int *way)
{
    const struct node *node = node_of(u, n);
    struct text t = node_text(u, n);
    struct atomic_use use;
    *way = 0;
    if (node->kind == NODE_STEP)
        *way = memmem(t.at, t.len, "++", 2) ? 1 : -1;
    else if (node->kind == NODE_ASSIGN)
        *way = memmem(t.at, t.len, "+= 1", 4) ? 1 : memmem(t.at, t.len, "-= 1", 4) ? -1 : 0;
    else if (node->kind == NODE_CALL && atomic_use_whole(text_trim(t), &use))
        *way = use.does == ATOMIC_ADD ? 1 : use.does == ATOMIC_SUB ? -1 : 0;
    for (node_id m = *way ? n : NONE; m != NONE; m = node_walk(u, n, m)) {
        const struct node *member = node_of(u, m);
        node_id base =
            member->kind == NODE_MEMBER && member->is_arrow ? name_in(u, member->first) : NONE;
        node_id of = base != NONE ? node_of(u, base)->declared : NONE;
        if (of != NONE && node_of(u, of)->record != NONE &&
            strcmp(node_of(u, node_of(u, of)->record)->name, record) == 0)
            return m;
    }
    return NONE;
}

static node_id base_of(const struct unit *u, node_id member)
{
    node_id base = name_in(u, node_of(u, member)->first);
    CHECK(base != NONE);
    return base;
}

/* Where such an object's member of this name (NULL: any) is counted so. */
static struct node_ref find_step(struct codebase *code, const char *record, const char *name,
                                 int way)
{
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            int is_way;
            node_id m = member_counted(u, n, record, &is_way);
            if (m != NONE && is_way == way && (!name || strcmp(node_of(u, m)->name, name) == 0))
                return (struct node_ref){i, n};
        }
    }
    return (struct node_ref){0, NONE};
}

/* What counts a user of the variable's object, as the program does it; NULL: it does not. */
static const char *count_text(struct codebase *code, uint32_t unit, const char *record,
                              const char *variable)
{
    const char *get = users_counter(code, unit, record, 1);
    if (get)
        return keep_text(code, "%s(%s);", get, variable);
    struct node_ref down = find_step(code, record, NULL, -1);
    if (down.node == NONE)
        return NULL;
    int way;
    const struct unit *d = codebase_unit(code, down.unit);
    node_id counter = member_counted(d, down.node, record, &way);
    struct node_ref up = find_step(code, record, node_of(d, counter)->name, 1);
    if (up.node == NONE)
        return NULL;
    const struct unit *u = codebase_unit(code, up.unit);
    const struct node *step = node_of(u, up.node);
    node_id member = member_counted(u, up.node, record, &way);
    const struct node *base = node_of(u, base_of(u, member));
    struct text all = u->files.at[step->file].text;
    CHECK(way == 1 && base->start >= step->start && base->end <= step->end);
    return keep_text(code, "%.*s%s%.*s;", (int)(base->start - step->start),
                     all.at + step->start, variable, (int)(step->end - base->end),
                     all.at + base->end);
}

/* Does the node count the variable's object up (1) or down (-1), itself or by a function? */
static bool counts_object(struct codebase *code, uint32_t unit, node_id n, node_id variable,
                          const char *record, int way)
{
    const struct unit *u = codebase_unit(code, unit);
    int is_way;
    node_id m = member_counted(u, n, record, &is_way);
    if (m != NONE && is_way == way && node_of(u, base_of(u, m))->declared == variable)
        return true;
    struct node_ref called = node_of(u, n)->kind == NODE_CALL
                                 ? call_target(code, (struct node_ref){unit, n})
                                 : (struct node_ref){0, NONE};
    return called.node != NONE && names_variable(u, n, variable) &&
           counts_users(code, called, record, 1) == way;
}

/* ---- the look-up ------------------------------------------------------------------------- */

/* Does what stands before the statement, in its block and around that, count the object? */
static bool is_counted_before(struct codebase *code, struct node_ref s, node_id variable,
                              const char *record)
{
    const struct unit *u = codebase_unit(code, s.unit);
    for (node_id at = s.node; at != NONE; at = statement_above(u, at))
        for (node_id p = statement_before(u, at); p != NONE; p = statement_before(u, p))
            for (node_id n = p; n != NONE; n = node_walk(u, p, n))
                if (counts_object(code, s.unit, n, variable, record, 1))
                    return true;
    return false;
}

/* The local pointer that is returned; NONE. */
static node_id variable_returned(const struct unit *u, node_id statement)
{
    node_id value = name_in(u, node_of(u, statement)->first);
    node_id v = value != NONE ? node_of(u, value)->declared : NONE;
    bool is_local = v != NONE && node_of(u, v)->kind == NODE_VARIABLE &&
                    !node_of(u, v)->is_global && node_of(u, v)->shape == SHAPE_POINTER &&
                    node_of(u, v)->record != NONE;
    return is_local ? v : NONE;
}

static void add_way(struct codebase *code, node_id returned, struct look_up *out)
{
    struct unit *u = codebase_unit(code, out->function.unit);
    node_id variable = variable_returned(u, returned), statement = node_statement(u, returned);
    if (variable == NONE || statement == NONE || out->count == WAYS_MAX ||
        node_function(u, returned) != out->function.node)
        return;
    const char *record = node_of(u, node_of(u, variable)->record)->name;
    node_id before = is_body(u, statement) ? NONE : statement_before(u, statement);
    enum lock_sort sort;
    if (before != NONE && !call_unlock(u, before, &sort))
        before = NONE;
    bool is_counted = is_counted_before(code, (struct node_ref){out->function.unit, statement},
                                        variable, record);
    out->record = record;
    out->counted += is_counted;
    out->ways[out->count++] =
        (struct way_out){before == NONE ? statement : before, variable, is_counted};
}

static void look_up_read(struct codebase *code, struct node_ref function, struct look_up *out)
{
    const struct unit *u = codebase_unit(code, function.unit);
    *out = (struct look_up){.function = function, .record = ""};
    for (node_id n = function.node; n != NONE; n = node_walk(u, function.node, n))
        if (node_of(u, n)->kind == NODE_RETURN)
            add_way(code, n, out);
    CHECK(out->counted <= out->count);
}

/* Says the caller when it is done with what it got? */
static bool gives_up(struct codebase *code, struct node_ref call, const char *record)
{
    const struct unit *u = codebase_unit(code, call.unit);
    node_id variable = variable_of_call(u, call.node), function = node_function(u, call.node);
    for (node_id n = variable == NONE ? NONE : function; n != NONE;
         n = node_walk(u, function, n))
        if (counts_object(code, call.unit, n, variable, record, -1))
            return true;
    return false;
}

/* ---- the recipe -------------------------------------------------------------------------- */

static int recount(struct codebase *code, const struct look_up *l, struct patch *out,
                   struct err *err)
{
    struct unit *u = codebase_unit(code, l->function.unit);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct way_out *w = &l->ways[i];
        if (w->is_counted)
            continue;
        const char *text =
            count_text(code, l->function.unit, l->record, node_of(u, w->variable)->name);
        if (!text)
            return err_set(err, "nothing counts who uses a %s", l->record);
        if (!is_known_there(u, w->place, w->variable))
            text = code_lines(
                u, w->place,
                keep_text(code, "if (%s)\n\t%s", node_of(u, w->variable)->name, text));
        unit_insert(u, w->place, INSERT_OPEN, text);
    }
    unit_flush(u, out);
    return 0;
}

static bool recount_at(struct codebase *code, struct node_ref s, uint32_t cause,
                       struct fix_repair *out)
{
    const struct unit *u = codebase_unit(code, s.unit);
    node_id function = node_function(u, s.node);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        struct node_ref call = {s.unit, n};
        struct look_up l;
        struct err err;
        if (node_of(u, n)->kind != NODE_CALL || variable_of_call(u, n) == NONE)
            continue;
        struct node_ref found = call_target(code, call);
        if (found.node == NONE)
            continue;
        look_up_read(code, found, &l);
        bool is_other = l.counted == 0 && l.count > 0 && gives_up(code, call, l.record);
        if ((l.counted == 0 && !is_other) || l.counted == l.count)
            continue;
        struct fix_candidate *one = candidate_new(out, "recount", cause);
        if (recount(code, &l, &one->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(one, code, NULL,
                          "who is given the object is counted on every way out of the look-up");
        one->trade = "no lock; the object lives as long as somebody uses it";
        return true;
    }
    return false;
}

static void recount_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    places_walk(code, cause, out, recount_at);
}

const struct recipe recipe_recount = {
    .name = "recount",
    .help = "a look-up counts its caller on every way out",
    .make = recount_make,
    .turn = TURN_FIRST,
};
