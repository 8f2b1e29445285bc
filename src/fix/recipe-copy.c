/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-copy: a loop walks through what a lock guards, without it, and calls back whoever
 * stands there; with the lock a callback could not take it. What the loop walks through is
 * copied under the lock, and the loop goes over the copy. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

enum { COPIES_MAX = 4 };

/* A member that the loop reads, and what stands for it. */
struct copied {
    node_id field;
    const char *text; /* as the loop writes it */
    const char *name; /* of the copy */
};

struct copies {
    struct codebase *code;
    struct unit *u;
    uint32_t unit;
    node_id loop;
    struct lock_use lock;
    struct copied at[COPIES_MAX];
    uint32_t count;
    node_id given, taken; /* the loop has the lock, but between these; or NONE */
};

/* Does it change something else than a variable of its own? */
static bool changes_more(const struct unit *u, node_id loop)
{
    for (node_id n = loop; n != NONE; n = node_walk(u, loop, n)) {
        enum node_kind kind = node_of(u, n)->kind;
        node_id to = kind == NODE_ASSIGN || kind == NODE_STEP ? node_of(u, n)->first : NONE;
        if (to != NONE && node_of(u, to)->kind != NODE_NAME)
            return true;
    }
    return false;
}

/* "b->" of "b->lock", "" of "mutex_". */
static struct text object_of(const char *lock)
{
    uint32_t len = (uint32_t)strlen(lock);
    while (len > 0 && (isalnum((unsigned char)lock[len - 1]) || lock[len - 1] == '_'))
        len--;
    return (struct text){lock, len};
}

/* A name for the copy: the field's, without marks that say that it is one. */
static const char *copy_name(struct copies *c, const char *field)
{
    size_t len = strlen(field);
    while (len > 1 && field[len - 1] == '_')
        len--;
    const char *own = field[0] == 'm' && field[1] == '_' ? field + 2 : field;
    len -= (size_t)(own - field);
    struct text function = node_text(c->u, node_function(c->u, c->loop));
    const char *wanted = keep_text(c->code, "%.*s", (int)len, own);
    bool is_member = len == strlen(field); /* it may be called as it is beside an object only */
    bool is_free = !is_member || object_of(c->lock.expression).len > 0;
    for (uint32_t i = 0; is_free && i + len <= function.len; i++)
        if (memcmp(function.at + i, wanted, len) == 0 && i > 0 &&
            !isalnum((unsigned char)function.at[i - 1]) && function.at[i - 1] != '_' &&
            !strchr(".>", function.at[i - 1]) &&
            !isalnum((unsigned char)function.at[i + len]) && function.at[i + len] != '_')
            is_free = false;
    return is_free ? wanted : unit_fresh(c->u, keep_text(c->code, "%s_copy", wanted));
}

/* Is the node a whole expression for a member of the object that has the lock? */
static bool is_of_object(const struct copies *c, node_id n)
{
    const struct node *node = node_of(c->u, n);
    node_id field =
        node->kind == NODE_MEMBER || node->kind == NODE_NAME ? node->declared : NONE;
    struct text object = object_of(c->lock.expression), t = node_text(c->u, n);
    if (field == NONE || node_of(c->u, field)->kind != NODE_FIELD)
        return false;
    size_t len = strlen(node->name);
    return t.len == object.len + len && memcmp(t.at, object.at, object.len) == 0 &&
           memcmp(t.at + object.len, node->name, len) == 0;
}

static int add_copy(struct copies *c, node_id n, struct err *err)
{
    const struct node *node = node_of(c->u, n), *field = node_of(c->u, node->declared);
    enum lock_sort sort;
    if (is_lock_type(c->u, field->type, &sort))
        return err_set(err, "the loop takes the lock");
    if (strchr(field->type, '*') && !c->u->is_cxx && !strchr(field->type, '['))
        return err_set(err, "a pointer is no copy of what it leads to");
    for (uint32_t i = 0; i < c->count; i++)
        if (c->at[i].field == node->declared)
            return 0;
    if (c->count == COPIES_MAX)
        return err_set(err, "the loop needs too much of the object");
    struct text t = node_text(c->u, n);
    c->at[c->count++] = (struct copied){.field = node->declared,
                                        .text = keep_text(c->code, "%.*s", TEXT_ARG(t)),
                                        .name = copy_name(c, node->name)};
    return 0;
}

static int find_copies(struct copies *c, struct err *err)
{
    for (node_id n = c->loop; n != NONE; n = node_walk(c->u, c->loop, n))
        if (is_of_object(c, n) && add_copy(c, n, err) < 0)
            return -1;
    return c->count ? 0
                    : err_set(err, "the loop needs nothing of the object that has the lock");
}

/* "struct handler handlers[MAX]" with the copy's name. */
static const char *array_like(struct copies *c, const struct copied *one)
{
    const struct node *field = node_of(c->u, one->field);
    struct text t = node_text(c->u, one->field);
    const char *name = memmem(t.at, t.len, field->name, strlen(field->name));
    size_t len = strlen(field->name);
    if (!name || memchr(t.at, ',', t.len))
        return NULL;
    return keep_text(c->code, "%.*s%s%.*s;", (int)(name - t.at), t.at, one->name,
                     (int)(t.at + t.len - name - (long)len), name + len);
}

/* What is done with the lock that the loop has: it is given back before, for good if nothing
 * else is done with it. */
static void give_before(struct copies *c, const char **take, const char **give,
                        struct patch *out)
{
    struct unit *u = c->u;
    enum lock_sort sort;
    const struct node *given = node_of(u, c->given), *taken = node_of(u, c->taken);
    struct text all = u->files.at[given->file].text;
    node_id next = node_of(u, c->loop)->next;
    *take = "";
    *give = keep_text(c->code, "%.*s", (int)(statement_end(u, c->given) - given->start),
                      all.at + given->start);
    bool is_given_next = next != NONE && call_unlock(u, next, &sort);
    if (is_given_next)
        remove_statement(u, next, out);
    else if (next != NONE)
        unit_insert(u, c->loop, INSERT_CLOSE,
                    keep_text(c->code, "%.*s", (int)(statement_end(u, c->taken) - taken->start),
                              all.at + taken->start));
    remove_statement(u, c->given, out);
    remove_statement(u, c->taken, out);
}

static int make_copies(struct copies *c, struct patch *out, struct err *err)
{
    AUTO(str) struct str arrays = {0}, copies = {0}, text = {0};
    const char *take, *give;
    CHECK(c->count > 0 && c->count <= COPIES_MAX && c->lock.expression);
    bool has_array = false;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct copied *one = &c->at[i];
        const char *type = node_of(c->u, one->field)->type;
        const char *array = strchr(type, '[') ? array_like(c, one) : NULL;
        if (strchr(type, '[') && !array)
            return err_set(err, "%s cannot be declared again", one->text);
        has_array |= array != NULL;
        if (array) {
            str_add(&arrays, "%s\n", array);
            str_add(&copies, "memcpy(%s, %s, sizeof %s);\n", one->name, one->text, one->name);
        } else {
            str_add(&copies, "%s %s = %s;\n", c->u->is_cxx ? "auto" : type, one->name,
                    one->text);
        }
    }
    if (c->given != NONE)
        give_before(c, &take, &give, out);
    else if (section_words(c->u, c->loop, &c->lock, &take, &give, err) < 0)
        return -1;
    str_add(&text, "%s%s%s%s%s", arrays.at ? arrays.at : "", take, *take ? "\n" : "", copies.at,
            give);
    unit_insert(c->u, c->loop, INSERT_OPEN, code_lines(c->u, c->loop, text.at));
    unit_flush(c->u, out);
    for (node_id n = c->loop; n != NONE; n = node_walk(c->u, c->loop, n))
        for (uint32_t i = 0; i < c->count && is_of_object(c, n); i++)
            if (node_of(c->u, n)->declared == c->at[i].field)
                replace_node(c->u, n, c->at[i].name, out);
    if (has_array)
        include_header(c->u, node_of(c->u, c->loop)->file, "string.h", out);
    return 0;
}

/* ---- the recipe ------------------------------------------------------------------------- */

/* The lock as it is called in the loop; NULL: it cannot be named there, or is held. */
static const char *lock_in(struct codebase *code, const struct lock_choice *l, uint32_t unit,
                           node_id loop)
{
    struct unit *u = codebase_unit(code, unit);
    for (node_id n = loop; n != NONE && (l->guard || l->is_there); n = node_walk(u, loop, n)) {
        struct err ignored;
        node_id field = node_of(u, n)->declared;
        if (field == NONE || node_of(u, field)->kind != NODE_FIELD)
            continue;
        const char *lock = lock_spell(code, l, unit, n, &ignored);
        if (lock)
            return is_held(code, (struct node_ref){unit, loop}, lock) ? NULL : lock;
    }
    return NULL;
}

/* The only lock of the object whose member the node is, as it is called there, if the member is
 * accessed under it elsewhere; NULL. */
static const char *lock_of_object(struct codebase *code, uint32_t unit, node_id n,
                                  enum lock_sort *sort)
{
    struct unit *u = codebase_unit(code, unit);
    node_id field = node_of(u, n)->declared, function = node_function(u, n);
    bool is_member = field != NONE && node_of(u, field)->kind == NODE_FIELD;
    node_id record = is_member ? node_of(u, field)->parent : NONE;
    node_id mutex = record == NONE || node_of(u, record)->kind != NODE_RECORD
                        ? NONE
                        : record_lock(u, record);
    if (mutex == NONE || !is_lock_type(u, node_of(u, mutex)->type, sort))
        return NULL;
    const char *lock = NULL;
    for (node_id other = n, m = 0; m < u->nodes.len; other = m++) {
        struct text t = node_text(u, other);
        size_t len = strlen(node_of(u, field)->name);
        if (node_of(u, other)->declared != field || t.len < len ||
            memcmp(t.at + t.len - len, node_of(u, field)->name, len) != 0)
            continue;
        const char *here =
            keep_text(code, "%.*s%s", (int)(t.len - len), t.at, node_of(u, mutex)->name);
        if (other == n)
            lock = here;
        else if (node_function(u, other) != function &&
                 is_held(code, (struct node_ref){unit, other}, here))
            return lock;
    }
    return NULL;
}

static bool copy_with(struct codebase *code, uint32_t cause, struct fix_repair *out,
                      struct copies *c, const struct lock_choice *l)
{
    struct fix_candidate *one = candidate_new(out, "copy", cause);
    struct err err;
    int failed = changes_more(c->u, c->loop)
                     ? err_set(&err, "the loop changes what it walks through")
                     : find_copies(c, &err);
    if (!failed)
        failed = make_copies(c, &one->patch, &err);
    if (failed) {
        candidate_drop(out, code, &err);
        return false;
    }
    candidate_explain(one, code, l,
                      "what the loop walks through is copied under the lock, and callbacks are "
                      "called without it");
    one->trade = "a copy for each walk; who has just gone may be called once more";
    return true;
}

/* The lock that is held where the loop begins and ends, and given back for each call:
 *     lock; for (...) { unlock; call(x); lock; } unlock; */
static bool find_reopened(struct copies *c)
{
    struct unit *u = c->u;
    node_id body = node_of(u, c->loop)->last, held = NONE;
    enum lock_sort sort;
    if (body == NONE || node_of(u, body)->kind != NODE_COMPOUND ||
        node_of(u, body)->first == node_of(u, body)->last)
        return false;
    node_id first = node_of(u, body)->first, last = node_of(u, body)->last;
    const char *given = call_unlock(u, first, &sort),
               *taken = call_lock(u, last, &c->lock.sort);
    if (!given || !taken || strcmp(given, taken) != 0)
        return false;
    for (node_id s = statement_before(u, c->loop); s != NONE; s = statement_before(u, s))
        if (guard_lock(u, s) && node_of(u, s)->first != NONE &&
            strcmp(node_of(u, node_of(u, s)->first)->name, given) == 0)
            held = s;
    c->lock.expression = held != NONE ? guard_lock(u, held) : given;
    c->given = first;
    c->taken = last;
    CHECK(c->given != c->taken);
    return true;
}

static bool copy_at(struct codebase *code, struct node_ref s, uint32_t cause,
                    struct fix_repair *out)
{
    struct unit *u = codebase_unit(code, s.unit);
    enum node_kind kind = node_of(u, s.node)->kind;
    node_id loop = kind == NODE_FOR || kind == NODE_WHILE ? s.node : loop_around(u, s.node);
    if (loop == NONE || find_callback(u, loop) == NONE)
        return false;
    struct copies c = {
        .code = code, .u = u, .unit = s.unit, .loop = loop, .given = NONE, .taken = NONE};
    if (find_reopened(&c))
        return copy_with(code, cause, out, &c, NULL);
    lock_choices locks = {0};
    bool is_made = false;
    locks_list(code, &code->causes->causes.at[cause], &locks);
    for (uint32_t i = 0; i < locks.len && !is_made; i++) {
        const struct lock_choice *l = &locks.at[i];
        c.lock = (struct lock_use){l->sort, lock_in(code, l, s.unit, loop)};
        c.count = 0;
        is_made = c.lock.expression && copy_with(code, cause, out, &c, l);
    }
    vec_done(&locks);
    for (node_id n = loop; n != NONE && !is_made; n = node_walk(u, loop, n)) {
        c.lock.expression = lock_of_object(code, s.unit, n, &c.lock.sort);
        c.count = 0;
        if (c.lock.expression && !is_held(code, s, c.lock.expression))
            return copy_with(code, cause, out, &c, NULL);
    }
    return is_made;
}

static void copy_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    places_walk(code, cause, out, copy_at);
}

const struct recipe recipe_copy = {
    .name = "copy",
    .help = "what a loop with callbacks walks through is copied under the lock",
    .make = copy_make,
    .turn = TURN_FIRST,
};
