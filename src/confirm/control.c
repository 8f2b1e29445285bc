/* SPDX-License-Identifier: Apache-2.0
 *
 * control: see control.h. Output that depends on the order of threads anyway is nobody's harm:
 * the runs that tell are made once, when the first finding needs them. */
#include "confirm/control.h"

#include <string.h>

enum { TURNS_RUNS = 10 };

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

/* What a run printed on its stdout; false: that is not known. */
static bool read_output(struct str *out, const char *directory)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err ignored;
    str_add(&path, "%s/output", directory);
    if (runfile_open(&f, path.at, &ignored) < 0)
        return false;
    for (uint32_t i = 0; i < f.entries.len; i++)
        if (f.entries.at[i].head.tag == TAG_PRINTED && f.entries.at[i].head.ordinal == 1)
            str_bytes(out, (const char *)f.entries.at[i].data, f.entries.at[i].head.bytes);
    runfile_close(&f);
    return true;
}

/* The first line of b, sorted, that a does not have; at NULL if there is none. */
static struct text first_new(const lines *a, const lines *b)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < b->len; k++) {
        while (i < a->len && by_text(&a->at[i], &b->at[k]) < 0)
            i++;
        if (i == a->len || !text_is(a->at[i], b->at[k]))
            return b->at[k];
    }
    return (struct text){0};
}

static bool is_same(const lines *a, const lines *b)
{
    bool same = a->len == b->len;
    for (uint32_t i = 0; same && i < a->len; i++)
        same = text_is(a->at[i], b->at[i]);
    return same;
}

/* ---- runs in turns --------------------------------------------------------------------- */

static bool prints_same(const lines *recorded, const char *directory)
{
    AUTO(str) struct str text = {0};
    lines own = {0};
    bool is_known = read_output(&text, directory);
    split(&own, &text);
    bool same = is_known && is_same(recorded, &own);
    vec_done(&own);
    return same;
}

static bool run_in_turns(const struct confirm_opts *o, const lines *recorded, uint32_t number)
{
    AUTO(str) struct str directory = {0};
    struct run_result r = {0};
    struct run_opts run = o->run;
    struct err ignored;
    run.policy = "turns";
    run.guide = NULL;
    run.seed += number;
    run.no_trace = true;
    str_add(&directory, "%s/turns-%u", o->store, number + 1);
    run_remove(directory.at);
    bool same = run_make_directory(directory.at, &ignored) == 0 &&
                run_target(&r, o->argv, directory.at, &run, &ignored) == 0 &&
                !run_unjudged(&r) && prints_same(recorded, directory.at);
    run_result_done(&r);
    run_remove(directory.at);
    return same;
}

static bool prints_the_same_in_turns(const struct confirm_opts *o, const lines *recorded)
{
    enum confirm_output unused = OUTPUT_UNKNOWN, *output = o->output ? o->output : &unused;
    for (uint32_t i = 0; *output == OUTPUT_UNKNOWN && i < TURNS_RUNS && !run_signal(); i++)
        if (!run_in_turns(o, recorded, i))
            *output = OUTPUT_DIFFERS;
    if (*output == OUTPUT_UNKNOWN)
        *output = OUTPUT_SAME;
    return *output == OUTPUT_SAME;
}

bool control_prints_otherwise(const struct confirm_opts *o, const char *run, struct str *why)
{
    AUTO(str) struct str before = {0}, after = {0};
    lines a = {0}, b = {0};
    if (!read_output(&before, o->recorded) || !read_output(&after, run))
        return false;
    split(&a, &before);
    split(&b, &after);
    struct text other = first_new(&a, &b);
    bool is_harm = other.at && prints_the_same_in_turns(o, &a);
    if (is_harm)
        str_add(why, "it prints something else: %.*s", TEXT_ARG(other));
    vec_done(&a);
    vec_done(&b);
    return is_harm;
}

/* ---- the other order ------------------------------------------------------------------- */

/* Two steps change places; of three, the one between goes behind the others. Of two that stand
 * side by side either order is the violation, but harm that comes in both is not of its doing:
 * it comes of what these threads do before or behind. */
bool control_turn_round(struct witness_file *out, const struct witness_file *w)
{
    uint32_t key[3], count = 0;
    for (uint32_t i = 0; i < w->lines.len; i++) {
        if (w->lines.at[i].how != WITNESS_RUN && count < 3)
            key[count] = i;
        count += w->lines.at[i].how != WITNESS_RUN;
    }
    if (count != 2 && count != 3)
        return false;
    out->lines.len = w->lines.len;
    memcpy(out->lines.at, w->lines.at, w->lines.len * sizeof *w->lines.at);
    struct witness_line *last = &out->lines.at[key[count - 1]], moved = *last;
    *last = out->lines.at[key[count - 2]];
    out->lines.at[key[count - 2]] = moved;
    return last->thr != moved.thr;
}
