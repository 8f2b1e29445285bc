/* SPDX-License-Identifier: Apache-2.0
 *
 * declared: see declared.h. Parsing costs a tenth of a second for a unit, so a unit is parsed
 * only if its source, or a header of the user's that it includes, has the word in it. */
#include "check/declared.h"

#include "build/build.h"
#include "source/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILES_MAX = 200, /* looked into for the word, of one unit */
};

/* ---- is the word there? ----------------------------------------------------------------- */

struct looking {
    struct arena *mem;
    const char *directory;
    char *const *args;
    VEC(const char *) files; /* still to be looked into, and those that were */
    struct map seen;         /* hash of a path */
};

static void add_file(struct looking *l, const char *directory, struct text name)
{
    AUTO(str) struct str path = {0};
    char full[PATH_MAX];
    if (directory[0] != '/')
        str_add(&path, "%s/", l->directory);
    str_add(&path, "%s/%.*s", directory, TEXT_ARG(name));
    if (!realpath(path.at, full) || l->files.len == FILES_MAX)
        return;
    uint32_t *seen = map_at(&l->seen, hash_bytes(full, strlen(full)));
    if (*seen != NONE)
        return;
    *seen = l->files.len;
    vec_push(&l->files, arena_text(l->mem, full, strlen(full)));
}

/* Beside the file that includes it, or where the command line says. */
static void add_included(struct looking *l, const char *from, struct text name)
{
    const char *slash = strrchr(from, '/');
    add_file(l, arena_text(l->mem, from, (size_t)(slash - from)), name);
    for (char *const *a = l->args; *a; a++) {
        bool is_joined = strncmp(*a, "-I", 2) == 0 && (*a)[2];
        if (is_joined)
            add_file(l, *a + 2, name);
        else if ((strcmp(*a, "-I") == 0 || strcmp(*a, "-iquote") == 0) && a[1])
            add_file(l, a[1], name);
    }
}

static void add_includes(struct looking *l, const char *from, struct text text)
{
    for (const char *at = text.at, *end = at + text.len, *next; at < end; at = next) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        next = nl ? nl + 1 : end;
        const char *open = memchr(at, '"', (size_t)(next - at));
        const char *close = open ? memchr(open + 1, '"', (size_t)(next - open - 1)) : NULL;
        at += strspn(at, " \t");
        if (close && *at == '#' && memmem(at, (size_t)(open - at), "include", 7))
            add_included(l, from, (struct text){open + 1, (uint32_t)(close - open - 1)});
    }
}

static bool has_word(struct looking *l, const char *source)
{
    add_file(l, ".", (struct text){source, (uint32_t)strlen(source)});
    for (uint32_t i = 0; i < l->files.len; i++) {
        AUTO(bytes) struct bytes b = {0};
        struct err ignored;
        if (bytes_read(&b, l->files.at[i], &ignored) < 0)
            continue;
        struct text text = {(const char *)b.at, (uint32_t)b.len};
        if (mentions_guards(text))
            return true;
        add_includes(l, l->files.at[i], text);
    }
    return false;
}

/* ---- reading ---------------------------------------------------------------------------- */

static uint32_t lock_number(struct declared *d, struct text lock)
{
    for (uint32_t i = 0; i < d->locks.len; i++)
        if (text_is(lock, (struct text){d->locks.at[i], (uint32_t)strlen(d->locks.at[i])}))
            return i;
    vec_push(&d->locks, arena_text(&d->mem, lock.at, lock.len));
    return d->locks.len - 1;
}

/* A name that is declared with two locks says nothing. */
static void add_guard(struct declared *d, const char *name, uint32_t lock)
{
    for (uint32_t i = 0; i < d->guards.len; i++)
        if (strcmp(d->guards.at[i].name, name) == 0) {
            if (d->guards.at[i].lock != lock)
                d->guards.at[i].lock = NONE;
            return;
        }
    const char *own = arena_text(&d->mem, name, strlen(name));
    vec_push(&d->guards, (struct predict_guard){own, lock});
}

static void read_unit(struct declared *d, const struct unit *u)
{
    for (node_id n = 0; n < u->nodes.len; n++) {
        const struct node *x = node_of(u, n);
        if ((x->kind != NODE_FIELD && x->kind != NODE_VARIABLE) || !*x->name)
            continue;
        struct text lock = declared_guard(u, n);
        if (lock.len)
            add_guard(d, x->name, lock_number(d, lock));
    }
}

void declared_read(struct declared *out, const char *program)
{
    AUTO(build_units) struct build_units units = {0};
    struct err ignored;
    *out = (struct declared){0};
    if (build_units_read(&units, program, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < units.units.len; i++) {
        AUTO(arena) struct arena mem = {0};
        AUTO(unit) struct unit u = {0};
        const struct build_unit *b = &units.units.at[i];
        struct looking l = {
            .mem = &mem, .directory = b->directory, .args = build_unit_words(b, &mem)};
        bool is_worth_it = has_word(&l, b->source);
        map_done(&l.seen);
        vec_done(&l.files);
        struct unit_opts opts = {
            .source = b->source, .directory = b->directory, .args = l.args};
        if (is_worth_it && unit_open(&u, &opts, &ignored) == 0)
            read_unit(out, &u);
    }
}

void declared_done(struct declared *d)
{
    vec_done(&d->guards);
    vec_done(&d->locks);
    arena_done(&d->mem);
}

/* ---- telling ---------------------------------------------------------------------------- */

static uint32_t lock_of(const struct declared *d, const char *name)
{
    for (uint32_t i = 0; i < d->guards.len; i++)
        if (strcmp(d->guards.at[i].name, name) == 0)
            return d->guards.at[i].lock;
    return NONE;
}

/* Locks have the names of objects ("m", "m in pool", "heap#0+8"); the declaration has an
 * expression ("m", "this->m"): the last word is what both have, if the object has a name. */
static const char *last_word(const char *text, size_t *len)
{
    size_t end = strlen(text);
    while (end > 0 && (text[end - 1] == ')' || text[end - 1] == ' '))
        end--;
    size_t begin = end;
    while (begin > 0 && !strchr(".>&*(! ", text[begin - 1]))
        begin--;
    *len = end - begin;
    return text + begin;
}

/* A lock inside of something is known by the place it has there: it may be the one. */
static bool may_be_held(const struct finding_step *s, const char *lock)
{
    size_t len;
    const char *word = last_word(lock, &len);
    for (uint32_t i = 0; i < s->held.len; i++) {
        const char *name = s->held.at[i];
        if (strpbrk(name, "#+"))
            return true;
        for (const char *at = name; len && (at = strstr(at, word)) != NULL; at++) {
            bool begins = at == name || strchr(" .>", at[-1]);
            if (begins && (at[len] == 0 || at[len] == ' ')) /* "m in pool" */
                return true;
        }
    }
    return false;
}

void declared_tell(const struct declared *d, struct finding *f, struct arena *mem)
{
    const char *name = f->sites.len ? f->sites.at[0].variable : "";
    uint32_t lock = *name ? lock_of(d, name) : NONE;
    AUTO(str) struct str text = {0};
    if (lock == NONE || f->pattern == PATTERN_DEADLOCK)
        return;
    str_add(&text, "%s%s%s is declared GUARDED_BY(%s)", f->why, *f->why ? "; " : "", name,
            d->locks.at[lock]);
    uint32_t line = 0; /* told last: a line is often there twice */
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const struct finding_step *s = &f->steps.at[i];
        if (!s->is_key || s->place.line == line || may_be_held(s, d->locks.at[lock]))
            continue;
        const char *slash = strrchr(s->place.file, '/');
        str_add(&text, "%s line %u of %s", line ? "," : ", not held at", s->place.line,
                slash ? slash + 1 : s->place.file);
        line = s->place.line;
    }
    f->why = arena_text(mem, text.at, text.len);
}
