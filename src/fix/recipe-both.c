/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-both: a function does one thing under the lock of one object and the rest under that
 * of another, as a transfer does: between the two others see neither. It takes both at once, by
 * std::scoped_lock, which makes no circle. */
#include "fix/recipe.h"

#include <string.h>

/* Two guards of one function, the second behind the block that the first holds its lock in. */
struct two {
    struct unit *u;
    node_id first, second; /* declarations */
    node_id block;         /* of the first, a statement beside the second */
    const char *a, *b;     /* the locks */
};

/* "mutex" of "source.mutex"; the whole name if it has no object. */
static const char *member_of(const char *lock)
{
    const char *dot = strrchr(lock, '.'), *arrow = strrchr(lock, '>');
    const char *last = dot > arrow ? dot : arrow;
    return last ? last + 1 : lock;
}

/* The first statement of a block that stands for itself, which holds a lock to its end. */
static node_id guard_in(struct unit *u, node_id block, const char **lock)
{
    node_id first = node_of(u, block)->kind == NODE_COMPOUND ? node_of(u, block)->first : NONE;
    *lock = first == NONE ? NULL : guard_lock(u, first);
    return *lock ? first : NONE;
}

/* Has the block names of its own, that would meet others without its braces? */
static bool has_names(const struct unit *u, node_id block, node_id guard)
{
    for (node_id s = node_of(u, block)->first; s != NONE; s = node_of(u, s)->next)
        if (s != guard && node_of(u, s)->kind == NODE_DECLARATION)
            return true;
    return false;
}

static bool two_read(struct unit *u, node_id block, struct two *out)
{
    *out = (struct two){.u = u, .block = block};
    if (block == NONE || node_of(u, node_of(u, block)->parent)->kind != NODE_COMPOUND)
        return false;
    out->first = guard_in(u, block, &out->a);
    if (out->first == NONE || has_names(u, block, out->first))
        return false;
    out->second = node_of(u, block)->next;
    out->b = out->second == NONE ? NULL : guard_lock(u, out->second);
    return out->b && strcmp(out->a, out->b) != 0 &&
           strcmp(member_of(out->a), member_of(out->b)) == 0;
}

/* The line that the byte is on, with its end. */
static struct text line_of(struct text all, uint32_t at)
{
    uint32_t begin = at, end = at;
    while (begin > 0 && all.at[begin - 1] != '\n')
        begin--;
    while (end < all.len && all.at[end] != '\n')
        end++;
    return (struct text){all.at + begin, end - begin + (end < all.len)};
}

static bool is_alone_on_line(struct text all, uint32_t at)
{
    return text_trim(line_of(all, at)).len == 1;
}

/* The block's statements stand where it stood. */
static int open_block(const struct two *t, struct patch *out, struct err *err)
{
    const struct node *n = node_of(t->u, t->block);
    const struct source_file *f = &t->u->files.at[n->file];
    if (!is_alone_on_line(f->text, n->start) || !is_alone_on_line(f->text, n->end - 1))
        return err_set(err, "the block shares its lines with something else");
    struct text outer = line_of(f->text, n->start),
                inner = line_of(f->text, node_of(t->u, t->first)->start);
    uint32_t from = n->start - (uint32_t)(outer.at - f->text.at);
    uint32_t deeper = node_of(t->u, t->first)->start - (uint32_t)(inner.at - f->text.at);
    if (deeper < from)
        return err_set(err, "the block is not indented");
    patch_add(out, f->path, (uint32_t)(outer.at - f->text.at), outer.len, "", EDIT_OPEN);
    for (uint32_t at = (uint32_t)(outer.at - f->text.at) + outer.len;;) {
        struct text line = line_of(f->text, at);
        if (at + line.len > n->end - 1) {
            patch_add(out, f->path, at, line.len, "", EDIT_OPEN);
            return 0;
        }
        bool is_guard = line.at == inner.at; /* it goes as a whole */
        if (!is_guard && line.len > deeper - from && text_trim(line).len)
            patch_add(out, f->path, at, deeper - from, "", EDIT_OPEN);
        at += line.len;
    }
}

static int make_both(struct codebase *code, const struct two *t, struct patch *out,
                     struct err *err)
{
    CHECK(node_of(t->u, t->first)->parent == t->block && t->a && t->b);
    const struct node *n = node_of(t->u, t->block), *held = node_of(t->u, t->second);
    const struct source_file *f = &t->u->files.at[n->file];
    struct text outer = line_of(f->text, n->start);
    if (held->first == NONE || node_of(t->u, t->first)->file != n->file)
        return err_set(err, "a guard is written in a way that is not understood");
    int indent = (int)(n->start - (uint32_t)(outer.at - f->text.at));
    const char *text = keep_text(code, "%.*sstd::scoped_lock %s(%s, %s);\n", indent, outer.at,
                                 node_of(t->u, held->first)->name, t->a, t->b);
    patch_add(out, f->path, (uint32_t)(outer.at - f->text.at), 0, text, EDIT_CLOSE);
    if (open_block(t, out, err) < 0)
        return -1;
    remove_statement(t->u, t->first, out);
    remove_statement(t->u, t->second, out);
    patch_note(out,
               "%s and %s must be two locks: one object in both places would wait for itself",
               t->a, t->b);
    return 0;
}

static bool both_at(struct codebase *code, struct node_ref s, uint32_t cause,
                    struct fix_repair *out)
{
    struct unit *u = codebase_unit(code, s.unit);
    node_id function = node_function(u, s.node);
    for (node_id n = function; n != NONE && u->is_cxx; n = node_walk(u, function, n)) {
        struct two t;
        struct err err;
        if (node_of(u, n)->kind != NODE_COMPOUND || !two_read(u, n, &t))
            continue;
        struct fix_candidate *one = candidate_new(out, "both", cause);
        if (make_both(code, &t, &one->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(one, code, NULL,
                          "what was done under one object's lock and then under another's is "
                          "done under both");
        one->trade = "no new lock; both are held for the whole section";
        return true;
    }
    return false;
}

static void both_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    places_walk(code, cause, out, both_at);
}

const struct recipe recipe_both = {
    .name = "both",
    .help = "the locks of two objects are taken at once, not one after the other",
    .make = both_make,
    .turn = TURN_FIRST,
};
