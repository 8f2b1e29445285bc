/* SPDX-License-Identifier: Apache-2.0
 *
 * identity: see identity.h. */
#include "verify/identity.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b)
{
    return hash_u64(a * 0x9e3779b97f4a7c15ULL + b + 0x632be59bd9b4e019ULL);
}

uint64_t site_own_name(const struct def_site *s)
{
    struct text file = text_base_name(text_from(s->file));
    uint64_t h =
        mix(hash_bytes(file.at, file.len), hash_bytes(s->function.at, s->function.len));
    h = mix(h, hash_bytes(s->name.at, s->name.len));
    return mix(h, (uint64_t)s->column << 32 | s->statement) | 1;
}

static uint64_t thread_own_name(const struct trace *t, uint32_t thr)
{
    const struct def_thread *d = &t->threads.at[thr];
    if (d->parent == NO_ID || d->parent >= thr)
        return mix(1, d->parent == NO_ID ? 0 : thr);
    return mix(thread_own_name(t, d->parent), d->spawn);
}

struct naming {
    struct names *out;
    const uint64_t *sites;
    VEC(uint64_t) site, thread; /* names, by number */
    struct map counters;
    VEC(uint32_t) counts;
    uint64_t cap;
};

static void name_event(struct naming *n, const struct ev *e, uint64_t number)
{
    struct names *out = n->out;
    CHECK(number == out->count && number < NONE);
    CHECK(e->site < n->site.len && e->thr < n->thread.len);
    if (number >= n->cap) {
        n->cap = n->cap ? 2 * n->cap : 1024;
        out->of = mem_resize(out->of, n->cap * sizeof *out->of);
        out->site = mem_resize(out->site, n->cap * sizeof *out->site);
        out->thr = mem_resize(out->thr, n->cap * sizeof *out->thr);
    }
    out->count = number + 1;
    out->of[number] = 0;
    uint64_t site = n->site.at[e->site];
    out->site[number] = site;
    out->thr[number] = (uint16_t)e->thr;
    if (!site || e->kind == EV_BRANCH)
        return;
    uint64_t key = mix(mix(n->thread.at[e->thr], site), e->kind);
    uint32_t *slot = map_at(&n->counters, key);
    if (*slot == NONE) {
        *slot = n->counts.len;
        vec_push(&n->counts, 0);
    }
    out->of[number] = mix(key, ++n->counts.at[*slot]) | 1;
    *map_at(&out->at, out->of[number]) = (uint32_t)number;
}

int names_make(struct names *out, struct trace *t, const uint64_t *sites, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct naming n = {.out = out, .sites = sites};
    struct ev e;
    int item;
    *out = (struct names){0};
    cursor_init(c, t);
    while ((item = trace_next(c, &e, err)) > ITEM_END) {
        if (item == ITEM_SITE)
            vec_push(&n.site, sites ? sites[c->site_count - 1]
                                    : site_own_name(&t->sites.at[c->site_count - 1]));
        else if (item == ITEM_THREAD)
            vec_push(&n.thread, thread_own_name(t, c->thread_count - 1));
        else if (item == ITEM_EVENT)
            name_event(&n, &e, c->number - 1);
    }
    free(c);
    vec_done(&n.site);
    vec_done(&n.thread);
    vec_done(&n.counts);
    map_done(&n.counters);
    return item;
}

void names_done(struct names *n)
{
    free(n->of);
    free(n->site);
    free(n->thr);
    map_done(&n->at);
    *n = (struct names){0};
}

uint32_t names_find(const struct names *n, uint64_t name)
{
    return name ? map_find(&n->at, name) : NONE;
}

/* ---- from the program before to the one after -------------------------------------------- */

struct mapping {
    const struct trace *before, *after;
    const struct verify_opts *opts;
    VEC(struct line_map) maps; /* by change */
    struct map index;          /* file, function, name -> first site of after ... */
    uint32_t *next;            /* ... and the next one, or NONE */
};

static uint64_t site_key(struct text file, const struct def_site *s)
{
    uint64_t h =
        mix(hash_bytes(file.at, file.len), hash_bytes(s->function.at, s->function.len));
    return mix(h, hash_bytes(s->name.at, s->name.len));
}

static struct text name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return text_of(slash ? slash + 1 : path);
}

/* The change that a site of before is in; NONE: its file is the same. */
static uint32_t change_of(const struct mapping *m, const struct def_site *s)
{
    struct text file = text_base_name(text_from(s->file));
    for (uint32_t i = 0; i < m->opts->change_count; i++)
        if (text_is(file, name_of(m->opts->changes[i].old_file)))
            return i;
    return NONE;
}

/* What a site of before is looked up by among those of after. */
static uint64_t key_after(const struct mapping *m, const struct def_site *s)
{
    uint32_t change = change_of(m, s);
    return site_key(change == NONE ? text_base_name(text_from(s->file))
                                   : name_of(m->opts->changes[change].file),
                    s);
}

static void index_sites(struct mapping *m)
{
    uint32_t count = m->after->sites.len;
    m->next = mem_get((count + 1) * sizeof *m->next);
    for (uint32_t i = count; i-- > 0;) {
        uint32_t *slot =
            map_at(&m->index, site_key(text_base_name(text_from(m->after->sites.at[i].file)),
                                       &m->after->sites.at[i]));
        m->next[i] = *slot;
        *slot = i;
    }
}

static bool is_before(const struct def_site *a, const struct def_site *b)
{
    if (a->line != b->line)
        return a->line < b->line;
    return a->column != b->column ? a->column < b->column : a->statement < b->statement;
}

static bool is_at(const struct def_site *a, const struct def_site *b)
{
    return a->line == b->line && a->column == b->column && a->statement == b->statement;
}

/* Among the sites of this name whose lines are in the range: how many stand before s. */
static uint32_t rank_before(const struct mapping *m, const struct def_site *s,
                            const struct line_map *lines)
{
    uint32_t rank = 0;
    uint64_t key = key_after(m, s);
    for (uint32_t i = 0; i < m->before->sites.len; i++) {
        const struct def_site *o = &m->before->sites.at[i];
        bool is_first = true;
        if (!is_before(o, s) || key_after(m, o) != key || line_map_find(lines, o->line))
            continue;
        for (uint32_t l = o->line; l < s->line; l++)
            if (line_map_find(lines, l))
                is_first = false; /* of another place that was changed */
        for (uint32_t k = 0; k < i; k++)
            if (key_after(m, &m->before->sites.at[k]) == key &&
                is_at(&m->before->sites.at[k], o))
                is_first = false;
        rank += is_first;
    }
    return rank;
}

/* The site of after with so many others of its name before it in first <= line < end. */
static uint32_t ranked_after(const struct mapping *m, uint64_t key, uint32_t first,
                             uint32_t end, uint32_t rank)
{
    for (uint32_t i = map_find(&m->index, key); i != NONE; i = m->next[i]) {
        const struct def_site *a = &m->after->sites.at[i];
        if (a->line < first || a->line >= end)
            continue;
        uint32_t before = 0;
        for (uint32_t k = map_find(&m->index, key); k != NONE; k = m->next[k]) {
            const struct def_site *b = &m->after->sites.at[k];
            bool counts = b->line >= first && b->line < end && is_before(b, a);
            for (uint32_t j = map_find(&m->index, key); counts && j != k; j = m->next[j])
                counts = !is_at(&m->after->sites.at[j], b);
            before += counts;
        }
        if (before == rank)
            return i;
    }
    return NONE;
}

static uint32_t find_exact(const struct mapping *m, const struct def_site *s, uint32_t line,
                           int64_t column)
{
    uint32_t near = NONE;
    uint64_t key = key_after(m, s);
    for (uint32_t i = map_find(&m->index, key); i != NONE; i = m->next[i]) {
        const struct def_site *a = &m->after->sites.at[i];
        if (a->line != line || (int64_t)a->column != column)
            continue;
        if (a->statement == s->statement)
            return i;
        near = near == NONE ? i : near;
    }
    return near;
}

static uint32_t find_site(const struct mapping *m, const struct def_site *s)
{
    uint32_t change = change_of(m, s);
    if (change == NONE)
        return find_exact(m, s, s->line, s->column);
    const struct line_map *lines = &m->maps.at[change];
    uint32_t line = line_map_find(lines, s->line);
    if (line)
        return find_exact(m, s, line, (int64_t)s->column + lines->shift.at[s->line - 1]);
    uint32_t first, end;
    line_map_place(lines, s->line, &first, &end);
    return ranked_after(m, key_after(m, s), first, end, rank_before(m, s, lines));
}

void site_map_make(struct site_map *out, const struct trace *before, const struct trace *after,
                   const struct verify_opts *opts)
{
    struct mapping m = {.before = before, .after = after, .opts = opts};
    uint32_t count = before->sites.len;
    for (uint32_t i = 0; i < opts->change_count; i++) {
        struct line_map lines;
        line_map_make(&lines, opts->changes[i].before, opts->changes[i].after);
        vec_push(&m.maps, lines);
    }
    index_sites(&m);
    *out = (struct site_map){.name = mem_zeroed(count + 1, sizeof *out->name),
                             .to = mem_zeroed(count + 1, sizeof *out->to)};
    for (uint32_t i = 0; i < count; i++) {
        const struct def_site *s = &before->sites.at[i];
        bool is_known = s->function.len > 0;
        out->to[i] = is_known ? find_site(&m, s) : NONE;
        /* Where it is not known what the program after does there: its own name. */
        out->name[i] = out->to[i] != NONE ? site_own_name(&after->sites.at[out->to[i]])
                       : is_known         ? 0
                                          : site_own_name(s);
        out->mapped += out->to[i] != NONE;
        out->gone += is_known && out->to[i] == NONE;
    }
    CHECK(out->mapped + out->gone <= count);
    for (uint32_t i = 0; i < m.maps.len; i++)
        line_map_done(&m.maps.at[i]);
    vec_done(&m.maps);
    map_done(&m.index);
    free(m.next);
}

void site_map_done(struct site_map *m)
{
    free(m->name);
    free(m->to);
}

static bool is_site_of(const struct witness_site *w, const struct def_site *s)
{
    return w->line == s->line && w->column == s->column && w->statement == s->statement &&
           text_is(w->function, (struct text){s->function.at, s->function.len}) &&
           text_is(w->name, (struct text){s->name.at, s->name.len}) &&
           text_is(w->file, (struct text){s->file.at, s->file.len});
}

static void copy_text(struct arena *mem, struct def_text from, struct text *out)
{
    *out = (struct text){arena_text(mem, from.at, from.len), from.len};
}

uint32_t witness_map(struct witness_file *w, const struct site_map *m,
                     const struct trace *before, const struct trace *after)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->lines.len; i++) {
        struct witness_line *l = &w->lines.at[i];
        uint32_t site = 0;
        while (site < before->sites.len && !is_site_of(&l->site, &before->sites.at[site]))
            site++;
        bool is_known = site < before->sites.len && l->site.function.len > 0;
        if (is_known && m->to[site] == NONE)
            continue;
        if (is_known) {
            const struct def_site *s = &after->sites.at[m->to[site]];
            copy_text(&w->mem, s->file, &l->site.file);
            copy_text(&w->mem, s->function, &l->site.function);
            copy_text(&w->mem, s->name, &l->site.name);
            l->site.line = s->line;
            l->site.column = s->column;
            l->site.statement = s->statement;
        }
        w->lines.at[kept++] = *l;
    }
    uint32_t left_out = w->lines.len - kept;
    w->lines.len = kept;
    return left_out;
}
