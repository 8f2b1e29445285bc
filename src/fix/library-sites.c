/* SPDX-License-Identifier: Apache-2.0
 *
 * library-sites: a step of a cause that was made in a library's header, in
 * std::map::find say, becomes the place in the program's own source that called for it: in the
 * innermost function of ours on the stack, where that uses an object of the library. */
#include "fix/recipe.h"

#include <string.h>

/* Is it this function, a method of this class? */
static bool is_told(const struct unit *u, node_id function, const char *told)
{
    const struct node *n = node_of(u, function);
    if (n->kind != NODE_FUNCTION || n->first == NONE || !*n->name ||
        !is_function(told, n->name))
        return false;
    node_id record = n->declared != NONE ? n->declared : n->parent;
    const char *owner = node_of(u, record)->kind == NODE_RECORD ? node_of(u, record)->name : "";
    return strstr(told, owner) != NULL;
}

static struct node_ref function_told(struct codebase *code, const char *told)
{
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++)
            if (is_told(u, n, told))
                return (struct node_ref){i, n};
    }
    return (struct node_ref){0, NONE};
}

/* A shared object of a library's type, which is no lock and not atomic. */
static bool is_library_object(const struct unit *u, node_id n)
{
    const struct node *node = node_of(u, n);
    bool is_named = node->kind == NODE_NAME || node->kind == NODE_MEMBER;
    if (!is_named || node->declared == NONE)
        return false;
    const struct node *d = node_of(u, node->declared);
    bool is_shared = d->kind == NODE_FIELD || (d->kind == NODE_VARIABLE && d->is_global);
    return is_shared && strstr(d->type, "std::") && !strstr(d->type, "mutex") &&
           !strstr(d->type, "atomic") && !strstr(d->type, "condition") &&
           !strstr(d->type, "thread");
}

static node_id object_used(const struct unit *u, node_id function)
{
    for (node_id n = function; n != NONE; n = node_walk(u, function, n))
        if (is_library_object(u, n))
            return n;
    return NONE;
}

static void put_site(struct codebase *code, struct cause_step *step, struct node_ref at)
{
    const struct unit *u = codebase_unit(code, at.unit);
    const struct node *n = node_of(u, at.node);
    const struct source_file *f = &u->files.at[n->file];
    uint32_t begin = n->start;
    while (begin > 0 && f->text.at[begin - 1] != '\n')
        begin--;
    step->site.file = keep_text(code, "%s", f->path);
    step->site.name = keep_text(code, "%s", n->name);
    step->site.line = file_line(f, n->start);
    step->site.column = n->start - begin + 1;
}

static void resite(struct codebase *code, struct cause_step *step)
{
    for (uint32_t i = step->stack.depth; i-- > 0;) {
        const char *told = step->stack.frames[i].function;
        struct node_ref f = function_told(code, told);
        node_id object =
            f.node == NONE ? NONE : object_used(codebase_unit(code, f.unit), f.node);
        if (object == NONE)
            continue;
        put_site(code, step, (struct node_ref){f.unit, object});
        step->site.function = told;
        step->stack.depth = i + 1; /* what it called there is the library's */
        return;
    }
}

void causes_resite(struct codebase *code, struct causes *all, uint32_t first)
{
    for (uint32_t i = first; i < all->causes.len; i++)
        for (uint32_t k = 0; k < all->causes.at[i].step_count; k++) {
            struct cause_step *step = &all->causes.at[i].steps[k];
            bool is_access = step->action == CAUSE_READ || step->action == CAUSE_WRITE;
            if (is_access && step->stack.depth > 1 &&
                codebase_find(code, &step->site).node == NONE)
                resite(code, step);
        }
}
