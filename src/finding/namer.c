/* SPDX-License-Identifier: Apache-2.0
 *
 * namer: see namer.h. */
#include "finding/namer.h"

#include "source/source.h"

#include <string.h>

enum { CALLEE_MAX = 20 };

void namer_done(struct namer *n)
{
    if (n->source)
        source_lines_done(n->source);
    free(n->source);
}

static bool ends_with_wait(struct text name)
{
    return memmem(name.at ? name.at : "", name.len, "wait", 4) != NULL;
}

/* A wait names its condition first and the lock that it gives back second. */
static uint32_t argument_of(const struct touched *x)
{
    enum acts_on on = ev_acts_on(x->kind);
    return on == ON_LOCK && ends_with_wait(text_from(x->site->name)) ? 1 : 0;
}

bool name_expression(struct namer *n, struct str *out, const struct touched *x)
{
    const struct def_site *s = x->site;
    struct source_spot spot = {text_from(s->file), text_from(s->name), s->line, s->column};
    if (!n->source)
        n->source = mem_zeroed(1, sizeof *n->source);
    if (ev_acts_on(x->kind) != ON_MEMORY)
        return source_argument(n->source, out, &spot, argument_of(x));
    bool is_part = x->o && x->bytes > 0 && x->o->size > x->bytes;
    if (source_operand(n->source, out, &spot, is_part))
        return true;
    str_bytes(out, s->name.at, s->name.len);
    return s->name.len > 0;
}

/* ---- objects ---------------------------------------------------------------------------- */

static bool is_heap(const struct object *o)
{
    return o && !o->is_static && o->class == WORD_VALUE(CLASS, HEAP);
}

/* What made a block: malloc, new; a name that only a linker knows says nothing. */
static struct text maker_of(const struct namer *n, const struct object *o)
{
    struct text name = text_from(n->t->sites.at[o->site].name);
    if (name.len >= 4 && (memcmp(name.at, "_Znw", 4) == 0 || memcmp(name.at, "_Zna", 4) == 0))
        return TEXT("new");
    return name.len == 0 || name.len > CALLEE_MAX || name.at[0] == '_' ? TEXT("block") : name;
}

static void add_count(struct str *out, const struct object *o)
{
    if (o->at_site > 0)
        str_add(out, "#%u", o->at_site + 1);
}

/* Without where it begins; "" if nobody gave it a name. */
static struct text variable_of(const struct namer *n, const struct object *o)
{
    return o->is_static ? o->name : text_from(n->t->sites.at[o->site].name);
}

void name_object(struct namer *n, struct str *out, const struct object *o, uint64_t addr)
{
    if (!o) {
        str_add(out, "0x%llx", (unsigned long long)addr);
        return;
    }
    const struct def_site *s = o->is_static ? NULL : &n->t->sites.at[o->site];
    if (is_heap(o) && s->line > 0) {
        str_add(out, "%.*s:%u", TEXT_ARG(maker_of(n, o)), s->line);
        add_count(out, o);
    } else if (s && !is_heap(o) && s->name.len > 0) {
        str_bytes(out, s->name.at, s->name.len);
    } else {
        object_name(out, o);
    }
    if (addr != o->addr)
        str_add(out, "+%llu", (unsigned long long)(addr - o->addr));
}

/* "pool" of "pool.lock" and of "pool[3]". */
static bool has_root(const char *expression, struct text root)
{
    expression += *expression == '*';
    return root.len > 0 && strncmp(expression, root.at, root.len) == 0 &&
           !(expression[root.len] == '-' && expression[root.len + 1] == '>') &&
           !strchr("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:",
                   expression[root.len] ? expression[root.len] : '.');
}

/* Does the expression say which object it is? */
static bool says_which(const struct namer *n, const char *expression, const struct object *o)
{
    return !o || (!is_heap(o) && has_root(expression, variable_of(n, o)));
}

/* In C a name alone that is not the object's is a pointer to it: then the object's own name
 * says more. In C++ it may be a member. */
static bool is_pointer(const struct namer *n, const char *words, const struct touched *x)
{
    struct text file = text_from(x->site->file);
    bool is_c = file.len > 2 && memcmp(file.at + file.len - 2, ".c", 2) == 0;
    return is_c && ev_acts_on(x->kind) >= ON_SYNC && x->o && !is_heap(x->o) &&
           x->addr == x->o->addr && variable_of(n, x->o).len > 0 && !strpbrk(words, ".>[(*");
}

/* The words for it, if they are worth more than the object's name. */
static bool find_words(struct namer *n, struct str *out, const struct touched *x)
{
    return name_expression(n, out, x) && !is_pointer(n, out->at, x);
}

void name_both(struct namer *n, struct str *out, const struct touched *x)
{
    AUTO(str) struct str words = {0};
    if (!find_words(n, &words, x)) {
        name_object(n, out, x->o, x->addr);
        return;
    }
    str_bytes(out, words.at, words.len);
    if (says_which(n, words.at, x->o))
        return;
    str_add(out, " in ");
    name_object(n, out, x->o, x->o->addr);
}

struct text name_without_object(const char *name)
{
    const char *in = strstr(name, " in ");
    return (struct text){name, (uint32_t)(in ? (size_t)(in - name) : strlen(name))};
}

/* "(from malloc at config.c:19)" */
static void add_origin(struct namer *n, struct str *out, const struct object *o)
{
    const struct def_site *s = &n->t->sites.at[o->site];
    const char *slash = s->file.len ? memrchr(s->file.at, '/', s->file.len) : NULL;
    size_t skip = slash ? (size_t)(slash + 1 - s->file.at) : 0;
    if (s->line == 0)
        return;
    str_add(out, " (from %.*s at %.*s:%u", TEXT_ARG(maker_of(n, o)), (int)(s->file.len - skip),
            s->file.at + skip, s->line);
    add_count(out, o);
    str_char(out, ')');
}

void name_quoted(struct namer *n, struct str *out, const struct touched *x)
{
    AUTO(str) struct str words = {0};
    bool is_said = find_words(n, &words, x);
    if (!is_said) {
        words.len = 0;
        name_object(n, &words, x->o, x->addr);
    }
    str_add(out, "'%s'", words.at ? words.at : "");
    if (is_heap(x->o)) {
        add_origin(n, out, x->o);
    } else if (is_said && !says_which(n, words.at, x->o)) {
        str_add(out, " in ");
        name_object(n, out, x->o, x->o->addr);
    }
}
