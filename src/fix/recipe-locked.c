/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-locked: a function that takes a lock is called by one that has it already: the thread
 * waits for itself. What it does becomes a function that is called with the lock held,
 * NAME_locked; the other one takes the lock and calls that. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* The function, and how it takes the lock. */
struct locking {
    struct unit *u;
    uint32_t unit;
    node_id function, body, taken;
    const char *lock;
    enum lock_sort sort;
    bool is_guard; /* a guard object holds it to the end of the body */
};

static node_id body_of(const struct unit *u, node_id function)
{
    node_id last = node_of(u, function)->last;
    return last != NONE && node_of(u, last)->kind == NODE_COMPOUND ? last : NONE;
}

/* Does its body take a lock as the first thing that it does? */
static bool locking_read(struct unit *u, uint32_t unit, node_id function, struct locking *out)
{
    *out = (struct locking){.u = u, .unit = unit, .function = function};
    out->body = body_of(u, function);
    node_id first = out->body == NONE ? NONE : node_of(u, out->body)->first;
    while (first != NONE && node_of(u, first)->kind == NODE_DECLARATION &&
           !guard_lock(u, first))
        first = node_of(u, first)->next;
    if (first == NONE)
        return false;
    out->taken = first;
    out->lock = guard_lock(u, first);
    out->is_guard = out->lock;
    if (!out->lock)
        out->lock = call_lock(u, first, &out->sort);
    return out->lock && !node_of(u, first)->is_macro;
}

/* The calls of it, in its own source file, by somebody who has the lock. */
static void held_calls(struct codebase *code, const struct locking *l, node_refs *out)
{
    struct node_ref function = {l->unit, l->function};
    node_refs calls = {0};
    calls_list(code, function, &calls);
    for (uint32_t i = 0; i < calls.len; i++) {
        const char *outer = expression_at_call(code, calls.at[i], function, l->lock);
        if (outer && calls.at[i].unit == l->unit && is_held(code, calls.at[i], outer))
            vec_push(out, calls.at[i]);
    }
    vec_done(&calls);
}

static void add_arguments(const struct locking *l, struct str *out)
{
    bool is_next = false;
    for (node_id c = node_of(l->u, l->function)->first; c != NONE; c = node_of(l->u, c)->next)
        if (node_of(l->u, c)->kind == NODE_PARAMETER) {
            str_add(out, "%s%s", is_next ? ", " : "", node_of(l->u, c)->name);
            is_next = true;
        }
}

/* The function as it was called so far: takes the lock, and calls the other one. */
static void add_caller(const struct locking *l, struct text head, const char *locked,
                       struct patch *out)
{
    struct unit *u = l->u;
    const struct node *f = node_of(u, l->function);
    struct lock_use lock = {l->sort, l->lock};
    AUTO(str) struct str text = {0};
    bool is_void = strcmp(f->type, "void") == 0;
    bool is_low = memchr(head.at, '\n', head.len); /* the brace has its own line */
    head = text_trim(head);
    str_add(&text, "\n\n%.*s%s{\n\t%s\n\t", TEXT_ARG(head), is_low ? "\n" : " ",
            lock_call(u, l->taken, &lock, true));
    if (!is_void)
        str_add(&text, "%s result = ", f->type);
    str_add(&text, "%s(", locked);
    add_arguments(l, &text);
    str_add(&text, ");\n\t%s\n%s}", lock_call(u, l->taken, &lock, false),
            is_void ? "" : "\treturn result;\n");
    patch_add(out, u->files.at[f->file].path, f->end, 0, code_lines(u, l->function, text.at),
              EDIT_CLOSE);
}

/* A function of C: what there is gets the other name, and its caller stands behind it. */
static int split_function(const struct locking *l, struct text head, const char *name,
                          const char *locked, struct patch *out, struct err *err)
{
    struct unit *u = l->u;
    const struct node *f = node_of(u, l->function), *body = node_of(u, l->body);
    if (l->is_guard ||
        section_dissolve(u, (struct range){body->first, body->last}, l->lock, out, err) < 0)
        return err_set(err, "%s cannot be divided", f->name);
    patch_add(out, u->files.at[f->file].path, f->start + (uint32_t)(name - head.at),
              (uint32_t)strlen(f->name), locked, EDIT_OPEN);
    if (!memmem(head.at, head.len, "static", 6))
        patch_add(out, u->files.at[f->file].path, f->start, 0, "static ", EDIT_OPEN);
    add_caller(l, head, locked, out);
    return 0;
}

/* The label that says who may call the method: "public:" with what stands before it on its
 * line; len 0: it has none, or others may not. */
static struct text label_of(const struct locking *l, node_id record)
{
    const struct node *f = node_of(l->u, l->function);
    struct text t = l->u->files.at[f->file].text, found = {0};
    for (uint32_t at = node_of(l->u, record)->start; at + 8 < f->start; at++) {
        uint32_t begin = at;
        while (begin > 0 && (t.at[begin - 1] == ' ' || t.at[begin - 1] == '\t'))
            begin--;
        if (memcmp(t.at + at, "public:", 7) == 0)
            found = (struct text){t.at + begin, at + 7 - begin};
        if (memcmp(t.at + at, "private:", 8) == 0)
            found.len = 0;
    }
    return found;
}

/* Behind the class's last "private:", or where it begins; a struct's members may be used by
 * all. NONE: it is not written as usual. */
static uint32_t private_place(const struct unit *u, node_id record)
{
    const struct node *r = node_of(u, record);
    struct text t = u->files.at[r->file].text;
    uint32_t found = NONE, depth = 0;
    CHECK(r->kind == NODE_RECORD && r->end <= t.len);
    for (uint32_t at = r->start; at < r->end; at++) {
        depth += t.at[at] == '{';
        if (t.at[at] == '{' && depth == 1)
            found = at + 1;
        depth -= t.at[at] == '}';
        if (depth == 1 && at + 8 < r->end && memcmp(t.at + at, "private:", 8) == 0)
            found = at + 8;
    }
    return found;
}

/* A method that is defined outside of its class: that must know the other one, too. */
static int declare(const struct locking *l, const char *prototype, struct patch *out,
                   struct err *err)
{
    struct unit *u = l->u;
    const struct node *f = node_of(u, l->function), *record = node_of(u, f->declared);
    uint32_t place = private_place(u, f->declared);
    node_id old = NONE;
    for (node_id m = record->first; m != NONE; m = node_of(u, m)->next)
        if (node_of(u, m)->kind == NODE_PROTOTYPE && strcmp(node_of(u, m)->name, f->name) == 0)
            old = m;
    struct text t = old == NONE ? (struct text){0} : node_text(u, old);
    if (old == NONE || place == NONE || memmem(t.at, t.len, "virtual", 7) ||
        memmem(t.at, t.len, "override", 8) || memmem(t.at, t.len, "static", 6))
        return err_set(err, "%s cannot be divided", f->name);
    AUTO(str) struct str text = {0};
    str_add(&text, "\n%s", prototype);
    patch_add(out, u->files.at[record->file].path, place, 0, code_lines(u, old, text.at),
              EDIT_CLOSE);
    return 0;
}

/* "ns::Queue::" before the name, where a method is defined outside of its class. */
static uint32_t qualifier_of(struct text head, const char *name)
{
    const char *at = name;
    while (at > head.at && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == ':'))
        at--;
    return (uint32_t)(name - at);
}

/* A method: the lock is taken, the other one called, and what it did follows as that. */
static int split_method(const struct locking *l, struct text head, const char *name,
                        const char *locked, struct patch *out, struct err *err)
{
    struct unit *u = l->u;
    const struct node *f = node_of(u, l->function);
    bool is_outside = node_of(u, f->parent)->kind != NODE_RECORD;
    struct text label = is_outside ? (struct text){0} : label_of(l, f->parent);
    uint32_t before = (uint32_t)(name - head.at), qualifier = qualifier_of(head, name);
    AUTO(str) struct str text = {0};
    bool is_void = strcmp(f->type, "void") == 0, is_low = memchr(head.at, '\n', head.len);
    if (!l->is_guard || node_of(u, l->body)->first != l->taken)
        return err_set(err, "%s cannot be divided", f->name);
    str_add(&text, "\n\t%s%s(", is_void ? "" : "return ", locked);
    add_arguments(l, &text);
    str_add(&text, ");\n}");
    AUTO(str) struct str all = {0};
    str_add(&all, "%s\n\n", code_lines(u, l->function, text.at));
    if (label.len)
        str_add(&all, "%.*sprivate:\n", (int)label.len - 7, label.at);
    text.len = 0;
    struct text rest = text_trim(
        (struct text){name + strlen(f->name), head.len - before - (uint32_t)strlen(f->name)});
    if (is_outside) {
        str_add(&text, "%.*s%s%.*s;", (int)(before - qualifier), head.at, locked,
                TEXT_ARG(rest));
        if (declare(l, text.at, out, err) < 0)
            return -1;
        text.len = 0;
    }
    str_add(&text, "\n%.*s%s%.*s%s{", (int)before, head.at, locked, TEXT_ARG(rest),
            is_low ? "\n" : " ");
    str_add(&all, "%s", code_lines(u, l->function, text.at) + 1);
    const char *path = u->files.at[f->file].path;
    patch_add(out, path, statement_end(u, l->taken), 0, all.at, EDIT_CLOSE);
    if (label.len) {
        AUTO(str) struct str back = {0};
        str_add(&back, "\n\n%.*s", TEXT_ARG(label));
        patch_add(out, path, f->end, 0, back.at, EDIT_CLOSE);
    }
    return 0;
}

/* The name of the new one is out. */
static int divide(struct codebase *code, const struct locking *l, const char **as,
                  struct patch *out, struct err *err)
{
    struct unit *u = l->u;
    const struct node *f = node_of(u, l->function);
    struct text head = {u->files.at[f->file].text.at + f->start,
                        node_of(u, l->body)->start - f->start};
    const char *name = memmem(head.at, head.len, f->name, strlen(f->name));
    const char *locked = unit_fresh(u, keep_text(code, "%s_locked", f->name));
    bool is_method = f->declared != NONE && node_of(u, f->declared)->kind == NODE_RECORD;
    if (!name || memmem(head.at, head.len, "virtual", 7) || memchr(head.at, '=', head.len) ||
        (name > head.at && name[-1] == ':' && !is_method) ||
        (qualifier_of(head, name) && name - qualifier_of(head, name) > head.at &&
         name[-(int)qualifier_of(head, name) - 1] == '>') ||
        memmem(head.at, head.len, "override", 8))
        return err_set(err, "%s cannot be divided", f->name);
    *as = locked;
    return (is_method ? split_method : split_function)(l, head, name, locked, out, err);
}

const char *function_divide(struct codebase *code, struct node_ref function, const char *lock,
                            struct patch *out)
{
    struct unit *u = codebase_unit(code, function.unit);
    struct locking l;
    struct err ignored;
    const char *name = NULL;
    bool is_good = locking_read(u, function.unit, function.node, &l) &&
                   strcmp(l.lock, lock) == 0 && divide(code, &l, &name, out, &ignored) == 0;
    return is_good ? name : NULL;
}

static int split(struct codebase *code, const struct locking *l, const node_refs *calls,
                 struct patch *out, struct err *err)
{
    struct unit *u = l->u;
    const struct node *f = node_of(u, l->function);
    const char *locked;
    CHECK(calls->len > 0);
    if (divide(code, l, &locked, out, err) < 0)
        return -1;
    for (uint32_t i = 0; i < calls->len; i++) {
        const struct node *callee = node_of(u, node_of(u, calls->at[i].node)->first);
        struct text written = node_text(u, node_of(u, calls->at[i].node)->first);
        size_t len = strlen(f->name);
        CHECK(calls->at[i].unit == l->unit);
        if (callee->is_macro || written.len < len ||
            memcmp(written.at + written.len - len, f->name, len) != 0)
            return err_set(err, "%s is called by a macro", f->name);
        patch_add(out, u->files.at[callee->file].path, callee->end - (uint32_t)len,
                  (uint32_t)len, locked, EDIT_OPEN);
    }
    return 0;
}

/* Is the function called by who has the lock that it takes? */
static void divide_if_held(struct codebase *code, uint32_t cause, struct node_ref function,
                           struct fix_repair *out)
{
    struct unit *u = codebase_unit(code, function.unit);
    node_refs calls = {0};
    struct locking l;
    struct err err;
    if (locking_read(u, function.unit, function.node, &l))
        held_calls(code, &l, &calls);
    if (calls.len > 0) {
        struct fix_candidate *one = candidate_new(out, "locked", cause);
        int failed = split(code, &l, &calls, &one->patch, &err);
        if (failed) {
            candidate_drop(out, code, &err);
        } else {
            candidate_explain(one, code, NULL,
                              "a function that takes the lock was called with it: what it does "
                              "is a function of its own, for who has the lock");
            one->trade = "no new lock, nothing is held longer";
            one->shows_in_locks = true;
        }
    }
    vec_done(&calls);
}

static void locked_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    if (!is_failure_stuck(code, &code->causes->causes.at[cause]))
        return;
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++)
            if (node_of(u, n)->kind == NODE_FUNCTION)
                divide_if_held(code, cause, (struct node_ref){i, n}, out);
    }
}

const struct recipe recipe_locked = {
    .name = "locked",
    .help = "a function that takes a lock is divided, for callers that have it",
    .make = locked_make,
    .turn = TURN_FIRST,
};
