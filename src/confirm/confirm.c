/* SPDX-License-Identifier: Apache-2.0
 *
 * confirm: the variants of a witness differ in which of the events that stand side by side at
 * its end goes first: a lost update shows in one order and not in the other. */
#include "confirm/confirm.h"

#include <string.h>

enum { VARIANTS_MAX = 4 };

/* ---- what was printed ------------------------------------------------------------------ */

typedef VEC(struct text) lines;

static int by_text(const void *left, const void *right)
{
    const struct text *a = left, *b = right;
    int order = memcmp(a->at, b->at, a->len < b->len ? a->len : b->len);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static void split(lines *out, const struct str *text)
{
    for (size_t at = 0; at < text->len;) {
        const char *nl = memchr(text->at + at, '\n', text->len - at);
        size_t end = nl ? (size_t)(nl - text->at) : text->len;
        vec_push(out, (struct text){text->at + at, (uint32_t)(end - at)});
        at = end + 1;
    }
    if (out->len > 1)
        qsort(out->at, out->len, sizeof *out->at, by_text);
}

/* What a run printed on its stdout. */
static void read_output(struct str *out, const char *directory)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err ignored;
    str_add(&path, "%s/output", directory);
    if (runfile_open(&f, path.at, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < f.entries.len; i++)
        if (f.entries.at[i].head.tag == TAG_PRINTED && f.entries.at[i].head.ordinal == 1)
            str_bytes(out, (const char *)f.entries.at[i].data, f.entries.at[i].head.bytes);
    runfile_close(&f);
}

/* The first line of b, sorted, that a does not have; len 0 and at NULL if they agree. */
static struct text first_other(const lines *a, const lines *b)
{
    uint32_t i = 0;
    while (i < a->len && i < b->len && text_is(a->at[i], b->at[i]))
        i++;
    if (i < b->len)
        return b->at[i];
    return i < a->len ? TEXT("less") : (struct text){0};
}

/* More than the order of its lines is different: why says which line, for example. */
static bool prints_otherwise(const char *recorded, const char *run, struct str *why)
{
    AUTO(str) struct str before = {0}, after = {0};
    lines a = {0}, b = {0};
    read_output(&before, recorded);
    read_output(&after, run);
    split(&a, &before);
    split(&b, &after);
    struct text other = first_other(&a, &b);
    if (other.at)
        str_add(why, "it prints something else: %.*s", TEXT_ARG(other));
    vec_done(&a);
    vec_done(&b);
    return other.at != NULL;
}

/* ---- variants -------------------------------------------------------------------------- */

static uint32_t frontier(const struct witness_file *w)
{
    uint32_t first = w->lines.len;
    while (first > 0 && w->lines.at[first - 1].how == WITNESS_AT)
        first--;
    return first;
}

static uint32_t variant_count(const struct witness_file *w)
{
    uint32_t side_by_side = w->lines.len - frontier(w);
    return side_by_side < 2 ? 1 : side_by_side < VARIANTS_MAX ? side_by_side : VARIANTS_MAX;
}

/* The k-th of those at the end goes first. */
static void rotate(struct witness_file *w, uint32_t first)
{
    uint32_t last = w->lines.len - 1;
    struct witness_line moved = w->lines.at[last];
    memmove(&w->lines.at[first + 1], &w->lines.at[first], (last - first) * sizeof *w->lines.at);
    w->lines.at[first] = moved;
}

/* ---- judging --------------------------------------------------------------------------- */

struct trial {
    bool followed;
    const char *harm, *ends;
    uint32_t weight; /* of the harm: more is worse */
};

/* The first line of the outcome's text. */
static void add_first_line(struct str *out, const struct run_result *r)
{
    const char *text = r->text.at ? r->text.at : "";
    str_bytes(out, text, strcspn(text, "\n"));
}

static struct trial judge(const struct run_guided *g, const struct confirm_opts *o,
                          const char *directory, struct arena *mem)
{
    AUTO(str) struct str ends = {0};
    struct trial t = {.followed = g->followed, .harm = "none"};
    add_first_line(&ends, &g->result);
    if (run_is_worse(&g->result, o->expected)) {
        t.harm = word_text(OUTCOME_FIRST, g->result.outcome);
        t.weight = 2 + g->result.outcome;
    } else {
        AUTO(str) struct str why = {0};
        if (prints_otherwise(o->recorded, directory, &why)) {
            t.harm = "output";
            t.weight = 1;
            str_add(&ends, "; %s", why.at);
        }
    }
    t.ends = arena_text(mem, ends.at ? ends.at : "", ends.len);
    return t;
}

/* A wake-up that came too early is lost only if no other comes: the program may do things
 * that the recorded run did not, so the end of the run decides. */
static bool proves(const struct told *f, const struct run_guided *g)
{
    uint8_t end = g->result.outcome;
    return g->followed &&
           (strcmp(f->pattern, "lost-wakeup") != 0 || end == WORD_VALUE(OUTCOME, DEADLOCK) ||
            end == WORD_VALUE(OUTCOME, HANG) || end == WORD_VALUE(OUTCOME, LIVELOCK));
}

static void tell(struct told *f, const struct trial *t)
{
    f->is_confirmed = true;
    f->harm = t->harm;
    f->ends = t->ends;
    f->doubt = "";
}

int confirm(struct told *f, const struct witness_file *w, const struct confirm_opts *opts,
            struct arena *mem, struct str *best, struct err *err)
{
    struct witness_file variant = *w; /* the lines are ours to turn, the rest is shared */
    variant.lines.at = ARENA_NEW(mem, struct witness_line, w->lines.len);
    memcpy(variant.lines.at, w->lines.at, w->lines.len * sizeof *w->lines.at);
    uint32_t first = frontier(w), worst = 0, count = variant_count(w);
    best->len = 0;
    str_add(best, "%s", "");
    for (uint32_t i = 0; i < count; i++) {
        AUTO(str) struct str directory = {0};
        struct run_guided g = {0};
        str_add(&directory, "%s/%s-%u", opts->store, f->id, i + 1);
        run_remove(directory.at);
        if (run_make_directory(directory.at, err) < 0 ||
            run_witness(&g, &variant, opts->argv, directory.at, &opts->run, err) < 0)
            return -1;
        struct trial t = judge(&g, opts, directory.at, mem);
        t.followed = proves(f, &g);
        if (t.followed && (!best->len || t.weight > worst)) {
            tell(f, &t);
            worst = t.weight;
            best->len = 0;
            str_add(best, "%s", directory.at);
        } else if (!f->is_confirmed && g.why.len > 0) {
            f->doubt = arena_text(mem, g.why.at, g.why.len);
        } else if (!f->is_confirmed && g.followed) {
            f->doubt = "followed to its end, but nothing waits for ever: another wake-up came";
        }
        run_guided_done(&g);
        if (i + 1 < count)
            rotate(&variant, first);
    }
    return 0;
}
