/* SPDX-License-Identifier: Apache-2.0
 *
 * guided: a run that follows a witness file. The lines are numbered through and handed to the
 * runtime as flat tables (heddle/guide.h), which finds the sites in the program itself; how far
 * it came is read from the file that it leaves. */
#include "run/parts.h"

#include "heddle/guide.h"

#include <string.h>

_Static_assert((int)GUIDE_RUN == (int)WITNESS_RUN && (int)GUIDE_EVENT == (int)WITNESS_EVENT &&
                   (int)GUIDE_AT == (int)WITNESS_AT,
               "the same lines");

struct tables {
    VEC(struct guide_line) lines;
    VEC(struct guide_thread) threads;
    VEC(struct guide_site) sites;
    VEC(struct guide_counter) counters;
    VEC(uint32_t) paths;
    struct str texts;
    struct str reach;
    uint32_t targets;
};

static uint32_t add_text(struct tables *t, struct text text)
{
    uint32_t at = (uint32_t)t->texts.len;
    str_bytes(&t->texts, text.at ? text.at : "", text.len);
    str_char(&t->texts, 0);
    return at;
}

static bool is_site(const struct tables *t, const struct guide_site *s,
                    const struct witness_site *w)
{
    return s->column == w->column && s->statement == w->statement &&
           text_is(text_of(t->texts.at + s->file), text_base_name(w->file)) &&
           text_is(text_of(t->texts.at + s->function), w->function) &&
           text_is(text_of(t->texts.at + s->name), w->name);
}

static uint32_t add_site(struct tables *t, const struct witness_site *w)
{
    for (uint32_t i = 0; i < t->sites.len; i++)
        if (is_site(t, &t->sites.at[i], w))
            return i;
    struct guide_site s = {.file = add_text(t, text_base_name(w->file)),
                           .function = add_text(t, w->function),
                           .name = add_text(t, w->name),
                           .line = w->line,
                           .column = w->column,
                           .statement = w->statement,
                           .counter = NONE};
    vec_push(&t->sites, s);
    return t->sites.len - 1;
}

static uint32_t add_counter(struct tables *t, const struct witness_line *l)
{
    uint32_t site = add_site(t, &l->site), first = t->sites.at[site].counter;
    for (uint32_t i = first; i != NONE; i = t->counters.at[i].next)
        if (t->counters.at[i].thr == l->thr && t->counters.at[i].kind == l->kind)
            return i;
    vec_push(&t->counters, (struct guide_counter){l->thr, l->kind, site, first});
    return t->sites.at[site].counter = t->counters.len - 1;
}

static void fill_tables(struct tables *t, const struct witness_file *w)
{
    for (uint32_t i = 0; i < w->threads.len; i++) {
        const struct witness_thread *thr = &w->threads.at[i];
        vec_push(&t->threads, (struct guide_thread){t->paths.len, thr->depth});
        for (uint32_t j = 0; j < thr->depth; j++)
            vec_push(&t->paths, thr->path[j]);
    }
    for (uint32_t i = 0; i < w->lines.len; i++) {
        const struct witness_line *l = &w->lines.at[i];
        uint32_t counter = add_counter(t, l);
        vec_push(&t->lines, (struct guide_line){l->count, counter, (uint32_t)l->how});
    }
}

static void fill_free(struct tables *t, const struct run_greedy *greedy)
{
    for (uint32_t i = 0; i < greedy->free_count; i++) {
        uint32_t site = add_site(t, &greedy->free[i]); /* may move them */
        t->sites.at[site].is_free = 1;
    }
}

/* Lines name the first sites; where a thread may stand comes behind them. */
static void fill_reach(struct tables *t, const struct witness_file *w,
                       const struct run_greedy *greedy)
{
    const struct witness_site **target = mem_zeroed(t->targets + 1, sizeof *target);
    for (uint32_t k = 0; k < w->lines.len; k++)
        target[add_site(t, &w->lines.at[k].site)] = &w->lines.at[k].site;
    uint32_t *from = mem_get((greedy->count + 1) * sizeof *from);
    for (uint32_t i = 0; i < greedy->count; i++)
        from[i] = add_site(t, &greedy->from[i]);
    uint64_t bits = (uint64_t)t->sites.len * t->targets;
    t->reach.len = (bits + 31) / 32 * 4;
    t->reach.at = mem_get(t->reach.len + 1);
    memset(t->reach.at, 0xff, t->reach.len + 1);
    for (uint32_t i = 0; i < greedy->count; i++) {
        for (uint32_t k = 0; k < t->targets; k++) {
            uint64_t bit = (uint64_t)from[i] * t->targets + k;
            if (!greedy->reaches(greedy->arg, &greedy->from[i], target[k]))
                t->reach.at[bit / 8] &= (char)~(1 << bit % 8);
        }
    }
    free(target);
    free(from);
}

#define PUT(out, v) str_bytes(out, (const char *)(v).at, sizeof *(v).at *(size_t)(v).len)

static int write_guide(const struct witness_file *w, const struct run_greedy *greedy,
                       bool gives_up, const char *path, struct err *err)
{
    struct tables t = {0};
    AUTO(str) struct str out = {0};
    fill_tables(&t, w);
    if (greedy && greedy->count > 0)
        t.targets = t.sites.len;
    if (greedy)
        fill_free(&t, greedy);
    if (t.targets > 0)
        fill_reach(&t, w, greedy);
    struct guide_head head = {.magic = GUIDE_MAGIC,
                              .line_count = t.lines.len,
                              .thread_count = t.threads.len,
                              .site_count = t.sites.len,
                              .counter_count = t.counters.len,
                              .path_count = t.paths.len,
                              .text_bytes = (uint32_t)t.texts.len,
                              .is_greedy = greedy != NULL,
                              .gives_up = gives_up,
                              .target_count = t.targets};
    str_bytes(&out, (const char *)&head, sizeof head);
    PUT(&out, t.lines);
    PUT(&out, t.threads);
    PUT(&out, t.sites);
    PUT(&out, t.counters);
    PUT(&out, t.paths);
    str_bytes(&out, t.reach.at ? t.reach.at : "", t.reach.len);
    str_bytes(&out, t.texts.at, t.texts.len);
    vec_done(&t.lines);
    vec_done(&t.threads);
    vec_done(&t.sites);
    vec_done(&t.counters);
    vec_done(&t.paths);
    str_done(&t.texts);
    str_done(&t.reach);
    return file_write(path, out.at, out.len, err);
}

int run_guide(const struct witness_file *w, const char *path, struct err *err)
{
    return write_guide(w, NULL, false, path, err);
}

/* ---- how far it came -------------------------------------------------------------------- */

/* "line 12 (T1, write x at q.c:40)" */
static void add_where(struct str *out, const struct witness_file *w,
                      const struct witness_line *l)
{
    struct text label = w->threads.at[l->thr].label;
    if (l->line)
        str_add(out, "line %u: ", l->line);
    str_add(out, "%.*s %s %s", TEXT_ARG(label),
            l->how == WITNESS_AT ? "never stood before its" : "did not do its",
            ev_text(l->kind));
    if (l->object.len > 0)
        str_add(out, " of %.*s", TEXT_ARG(l->object));
    if (l->site.file.len > 0)
        str_add(out, " at %.*s:%u", TEXT_ARG(l->site.file), l->site.line);
}

static void judge_guided(struct run_guided *out, const struct witness_file *w,
                         const struct guide_report *r)
{
    out->followed = r->state == GUIDE_FOLLOWED;
    out->conflict = r->conflict;
    out->beside = r->beside;
    out->dropped = r->dropped;
    out->line = r->line < w->lines.len ? r->line : w->lines.len;
    if (out->followed)
        return;
    if (out->line < w->lines.len)
        add_where(&out->why, w, &w->lines.at[out->line]);
    if (r->state == GUIDE_STOPPED)
        str_add(&out->why, ": %.*s", (int)strnlen(r->why, sizeof r->why), r->why);
    else
        str_add(&out->why, ": the run ended first (%s)",
                word_text(OUTCOME_FIRST, out->result.outcome));
}

void run_guided_read(struct run_guided *out, const struct witness_file *w,
                     const char *directory)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes bytes = {0};
    struct guide_report r = {0};
    struct err ignored;
    str_add(&path, "%s/guided", directory);
    if (bytes_read(&bytes, path.at, &ignored) == 0 && bytes.len >= sizeof r)
        memcpy(&r, bytes.at, sizeof r);
    judge_guided(out, w, &r);
}

int run_witness(struct run_guided *out, const struct witness_file *w, char *const *argv,
                const char *directory, const struct run_opts *opts, struct err *err)
{
    return run_greedily(out, w, NULL, argv, directory, opts, err);
}

int run_greedily(struct run_guided *out, const struct witness_file *w,
                 const struct run_greedy *greedy, char *const *argv, const char *directory,
                 const struct run_opts *opts, struct err *err)
{
    AUTO(str) struct str guide = {0};
    struct run_guided g = {0};
    struct run_opts own = *opts;
    char absolute[4096];
    if (!realpath(directory, absolute))
        return err_sys(err, "%s", directory);
    str_add(&guide, "%s/guide", absolute);
    own.guide = guide.at;
    if (w->process.len > 0)
        own.process = w->process.at;
    if (write_guide(w, greedy, own.gives_up, guide.at, err) < 0 ||
        run_target(&g.result, argv, directory, &own, err) < 0)
        return -1;
    unlink(guide.at);
    run_guided_read(&g, w, absolute);
    *out = g;
    return 0;
}

void run_guided_done(struct run_guided *g)
{
    run_result_done(&g->result);
    str_done(&g->why);
}
