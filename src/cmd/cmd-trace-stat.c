/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-trace-stat: what a trace consists of, as a table of at most 80 columns or as JSON. All
 * figures are gathered first; the two ways of printing only lay them out. */
#include "cmd/cmd-trace.h"

#include "base/json.h"
#include "base/log.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { TOP_MAX = 10, THREADS_SHOWN_MAX = 20 };

struct location {
    cell_id cell;
    uint32_t threads, reads, writes;
};

struct figures {
    const struct input *in; /* borrowed, as the model */
    const struct model *m;
    struct model_stat stat;
    size_t binary_bytes;
    uint8_t kinds[EV_COUNT]; /* those that occur, most frequent first */
    uint32_t kind_count;
    struct location top[TOP_MAX + 1]; /* most accessed first; one more to push out */
    uint32_t top_count;
};

/* ---- gathering --------------------------------------------------------------------------- */

/* A writer that was killed leaves the rest of its block empty. */
static size_t used_bytes(const struct trace *t)
{
    size_t len = t->bytes.len;
    while (len > 0 && t->bytes.at[len - 1] == 0)
        len--;
    return t->head.flags & TRACE_CLOSED ? t->bytes.len : len;
}

static void sort_kinds(struct figures *f)
{
    const uint64_t *count = f->stat.by_kind;
    for (unsigned k = 1; k < EV_COUNT; k++) {
        if (count[k] == 0)
            continue;
        uint32_t at = f->kind_count++;
        for (; at > 0 && count[f->kinds[at - 1]] < count[k]; at--)
            f->kinds[at] = f->kinds[at - 1];
        f->kinds[at] = (uint8_t)k;
    }
}

/* The threads of a cell: both its parts are in the order of threads, so they are merged. */
static uint32_t count_threads(const struct model *m, cell_id c)
{
    uint32_t w = m->cell_first[c], w_end = m->cell_reads[c];
    uint32_t r = w_end, r_end = m->cell_first[c + 1], count = 0;
    while (w < w_end || r < r_end) {
        uint32_t writer = w < w_end ? m->ev[m->accesses[w]].thr : NONE;
        uint32_t reader = r < r_end ? m->ev[m->accesses[r]].thr : NONE;
        uint32_t next = writer < reader ? writer : reader;
        while (w < w_end && m->ev[m->accesses[w]].thr == next)
            w++;
        while (r < r_end && m->ev[m->accesses[r]].thr == next)
            r++;
        count++;
    }
    return count;
}

static uint64_t accesses(const struct location *l)
{
    return (uint64_t)l->reads + l->writes;
}

static void find_top(struct figures *f)
{
    const struct model *m = f->m;
    for (cell_id c = 0; c < m->cell_count; c++) {
        struct location l = {.cell = c,
                             .writes = m->cell_reads[c] - m->cell_first[c],
                             .reads = m->cell_first[c + 1] - m->cell_reads[c]};
        if (f->top_count == TOP_MAX && accesses(&l) <= accesses(&f->top[TOP_MAX - 1]))
            continue;
        l.threads = count_threads(m, c);
        if (l.threads < 2)
            continue;
        uint32_t at = f->top_count;
        for (; at > 0 && accesses(&f->top[at - 1]) < accesses(&l); at--)
            f->top[at] = f->top[at - 1];
        f->top[at] = l;
        f->top_count += f->top_count < TOP_MAX;
    }
}

static int gather(struct figures *f, struct err *err)
{
    if (model_stat(&f->stat, f->m, err) < 0)
        return -1;
    f->binary_bytes = used_bytes(&f->in->trace);
    sort_kinds(f);
    find_top(f);
    return 0;
}

/* Whoever records no requests does not tell who had to wait. */
static bool knows_contention(const struct figures *f)
{
    return f->stat.by_kind[EV_REQUEST] > 0;
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *source_name(enum trace_source source)
{
    return source == FROM_BINARY ? "binary" : source == FROM_TEXT ? "text" : "STD";
}

static const char *values_name(const struct trace *t)
{
    if (t->head.flags & TRACE_HASHED)
        return "hashed";
    return t->head.flags & TRACE_VALUES ? "recorded" : "none";
}

static const char *lock_class(const struct model *m, sync_id s)
{
    return word_text(CLASS_FIRST, m->syncs[s].class);
}

/* ---- the table --------------------------------------------------------------------------- */

/* 1,234,567, right-aligned. */
static void add_number(struct str *out, uint64_t value, int width)
{
    char digits[32];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    for (unsigned i = 0; i == 0 || value > 0; i++, value /= 10) {
        if (i > 0 && i % 3 == 0)
            digits[--at] = ',';
        digits[--at] = (char)('0' + value % 10);
    }
    str_add(out, "%*s", width, digits + at);
}

static void add_count(struct str *out, uint64_t count, const char *what)
{
    add_number(out, count, 0);
    bool hisses = what[strlen(what) - 1] == 'h';
    str_add(out, " %s%s", what, count == 1 ? "" : hisses ? "es" : "s");
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80; /* UTF-8: not a continuation */
}

/* A name in a column: cut to its width, and nothing in it that a terminal would obey. */
static void add_cell(struct str *out, struct str *name, unsigned width)
{
    AUTO(str) struct str clean = {0};
    unsigned columns = 0, at = 0;
    add_clean(&clean, str_text(name));
    for (size_t i = 0; i < clean.len; i++)
        columns += begins_character(clean.at[i]);
    unsigned keep = columns > width ? width - 3 : columns;
    for (size_t i = 0; i < clean.len; i++) {
        at += begins_character(clean.at[i]);
        if (at <= keep)
            str_char(out, clean.at[i]);
    }
    if (columns > width)
        str_add(out, "...");
    else
        str_add(out, "%*s", (int)(width - columns), "");
    name->len = 0;
}

/* Without the blanks that the last column was filled up with. */
static void end_line(struct str *out)
{
    while (out->len > 0 && out->at[out->len - 1] == ' ')
        out->len--;
    str_char(out, '\n');
}

static void add_more(struct str *out, uint64_t all, uint64_t shown)
{
    if (all <= shown)
        return;
    str_add(out, "  and ");
    add_number(out, all - shown, 0);
    str_add(out, " more\n");
}

static void print_head(const struct figures *f, struct str *out)
{
    const struct trace *t = &f->in->trace;
    uint64_t events = f->m->trace_events;
    add_clean(out, text_of(f->in->name));
    str_add(out, "\n  %s", source_name(t->source));
    if (f->in->packing)
        str_add(out, ", packed with %s", f->in->packing);
    str_add(out, ", ");
    add_number(out, t->file_bytes, 0);
    str_add(out, " bytes; %s\n  ",
            f->stat.cut ? "cut: the writer did not come to its end" : "complete");
    add_count(out, events, "event");
    str_add(out, ", ");
    add_count(out, t->threads.len, "thread");
    str_add(out, ", ");
    add_count(out, f->stat.switches, "switch");
    str_add(out, "\n  %.1f bytes per event in the binary format\n",
            events ? (double)f->binary_bytes / (double)events : 0.0);
    str_add(out, "  branch events %scomplete; values %s%s%s\n",
            t->head.flags & TRACE_BRANCHES ? "" : "not ", values_name(t),
            t->head.flags & TRACE_IMPORTED ? "; imported" : "",
            t->head.flags & TRACE_UNENFORCED ? "; locks not enforced"
            : t->head.flags & TRACE_WEAK     ? "; has stale reads or early stores"
                                             : "");
    if (t->dropped > 0) {
        str_add(out, "  ");
        add_count(out, t->dropped, "line");
        str_add(out, " of the file could not be used\n");
    }
    if (f->in->is_filtered)
        str_add(out, "  only what the options left is counted below\n");
}

static void print_kinds(const struct figures *f, struct str *out)
{
    str_add(out, "\n%-20s%14s\n", "events by kind", "count");
    for (uint32_t i = 0; i < f->kind_count; i++) {
        uint64_t count = f->stat.by_kind[f->kinds[i]];
        str_add(out, "  %-18s", ev_text(f->kinds[i]));
        add_number(out, count, 14);
        str_add(out, "  %5.1f %%\n", 100.0 * (double)count / (double)f->m->trace_events);
    }
}

static void print_threads(const struct figures *f, struct str *out)
{
    const struct trace *t = &f->in->trace;
    AUTO(str) struct str name = {0};
    str_add(out, "\n%-32s%14s  %s\n", "threads", "events", "created by");
    for (uint32_t i = 0; i < t->threads.len && i < THREADS_SHOWN_MAX; i++) {
        str_add(out, "  ");
        thread_name(&name, t, i);
        add_cell(out, &name, 30);
        add_number(out, i < f->stat.by_thread.len ? f->stat.by_thread.at[i] : 0, 14);
        if (t->threads.at[i].parent != NO_ID) {
            str_add(out, "  ");
            thread_name(&name, t, t->threads.at[i].parent);
            add_cell(out, &name, 30);
        }
        end_line(out);
    }
    add_more(out, t->threads.len, THREADS_SHOWN_MAX);
}

static void print_locations(const struct figures *f, struct str *out)
{
    AUTO(str) struct str name = {0}, title = {0};
    if (f->stat.locations == 0) {
        str_add(out, "\nno memory that two threads touched\n");
        return;
    }
    str_add(&title, "shared locations: %u", f->stat.locations);
    str_char(out, '\n');
    add_cell(out, &title, 36);
    str_add(out, "%11s%12s%12s%9s\n", "accesses", "reads", "writes", "threads");
    for (uint32_t i = 0; i < f->top_count; i++) {
        const struct location *l = &f->top[i];
        str_add(out, "  ");
        cell_name(&name, f->m, l->cell);
        add_cell(out, &name, 34);
        add_number(out, accesses(l), 11);
        add_number(out, l->reads, 12);
        add_number(out, l->writes, 12);
        add_number(out, l->threads, 9);
        str_char(out, '\n');
    }
    add_more(out, f->stat.locations, f->top_count);
}

static void print_locks(const struct figures *f, struct str *out)
{
    AUTO(str) struct str name = {0}, title = {0};
    if (f->stat.syncs.len == 0) {
        str_add(out, "\nno locks\n");
        return;
    }
    str_add(&title, "locks: %u", f->stat.syncs.len);
    str_char(out, '\n');
    add_cell(out, &title, 36);
    str_add(out, "%11s%12s%12s%9s\n", "class", "acquires", "contended", "threads");
    for (uint32_t i = 0; i < f->stat.syncs.len && i < TOP_MAX; i++) {
        const struct sync_stat *s = &f->stat.syncs.at[i];
        str_add(out, "  ");
        sync_name(&name, f->m, s->sync);
        add_cell(out, &name, 34);
        str_add(out, "%11s", lock_class(f->m, s->sync));
        add_number(out, s->acquires, 12);
        if (knows_contention(f))
            add_number(out, s->contended, 12);
        else
            str_add(out, "%12s", "?");
        add_number(out, s->threads, 9);
        str_char(out, '\n');
    }
    add_more(out, f->stat.syncs.len, TOP_MAX);
}

static void print_dropped(struct str *out, uint64_t count, const char *what)
{
    if (count == 0)
        return;
    add_number(out, count, 16);
    str_add(out, "  %s\n", what);
}

static double bytes_per_kept(const struct figures *f)
{
    return f->m->ev_count ? (double)f->m->bytes / (double)f->m->ev_count : 0.0;
}

static void print_model(const struct figures *f, struct str *out)
{
    const struct model_dropped *d = &f->m->dropped;
    str_add(out, "\nmodel: ");
    add_number(out, f->m->ev_count, 0);
    str_add(out, " events kept, %.1f bytes of memory each; %s\n", bytes_per_kept(f),
            f->m->ev_count < f->m->trace_events ? "left out:" : "nothing left out");
    print_dropped(out, d->private_accesses, "accesses to memory that one thread alone touched");
    print_dropped(out, d->branches, "branches with no read since the one before");
    print_dropped(out, d->inner_locks, "re-entrant acquires and their releases");
    print_dropped(out, d->unheld_releases, "releases of locks that were not held");
    print_dropped(out, d->other, "calls, requests and others that order nothing");
}

static void print_table(const struct figures *f, struct str *out)
{
    print_head(f, out);
    print_kinds(f, out);
    print_threads(f, out);
    print_locations(f, out);
    print_locks(f, out);
    print_model(f, out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void key_str(struct json *j, const char *key, struct str *value)
{
    json_key(j, key);
    json_text(j, str_text(value));
    value->len = 0;
}

static void json_head(const struct figures *f, struct json *j)
{
    const struct trace *t = &f->in->trace;
    JSON_TEXTS(j, {"file", f->in->name}, {"format", source_name(t->source)},
               {"packed", f->in->packing ? f->in->packing : "no"});
    JSON_U64S(j, {"file_bytes", t->file_bytes}, {"binary_bytes", f->binary_bytes},
              {"events", f->m->trace_events}, {"switches", f->stat.switches});
    json_put_bool(j, "complete", !f->stat.cut);
    json_put_bool(j, "branches", t->head.flags & TRACE_BRANCHES);
    json_put_text(j, "values", values_name(t));
    json_put_bool(j, "imported", t->head.flags & TRACE_IMPORTED);
    json_put_bool(j, "freed", t->head.flags & TRACE_UNENFORCED);
    json_put_bool(j, "weak", t->head.flags & TRACE_WEAK);
    json_put_u64(j, "dropped_lines", t->dropped);
}

static void json_kinds(const struct figures *f, struct json *j)
{
    json_put_open(j, "kinds", '[');
    for (uint32_t i = 0; i < f->kind_count; i++) {
        json_open(j, '{');
        json_put_text(j, "kind", ev_text(f->kinds[i]));
        json_put_u64(j, "count", f->stat.by_kind[f->kinds[i]]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_threads(const struct figures *f, struct json *j)
{
    const struct trace *t = &f->in->trace;
    json_put_open(j, "threads", '[');
    for (uint32_t i = 0; i < t->threads.len; i++) {
        const struct def_thread *d = &t->threads.at[i];
        json_open(j, '{');
        json_put_u64(j, "id", i);
        json_key(j, "name");
        json_text(j, (struct text){d->name.at, d->name.len});
        if (d->parent != NO_ID)
            json_put_u64(j, "parent", d->parent);
        json_put_u64(j, "events", i < f->stat.by_thread.len ? f->stat.by_thread.at[i] : 0);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_locations(const struct figures *f, struct json *j)
{
    AUTO(str) struct str name = {0};
    json_put_open(j, "locations", '{');
    json_put_u64(j, "shared", f->stat.locations);
    json_put_open(j, "top", '[');
    for (uint32_t i = 0; i < f->top_count; i++) {
        json_open(j, '{');
        cell_name(&name, f->m, f->top[i].cell);
        key_str(j, "name", &name);
        JSON_U64S(j, {"reads", f->top[i].reads}, {"writes", f->top[i].writes},
                  {"threads", f->top[i].threads});
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void json_locks(const struct figures *f, struct json *j)
{
    AUTO(str) struct str name = {0};
    json_put_open(j, "locks", '{');
    json_put_u64(j, "count", f->stat.syncs.len);
    json_put_open(j, "top", '[');
    for (uint32_t i = 0; i < f->stat.syncs.len && i < TOP_MAX; i++) {
        const struct sync_stat *s = &f->stat.syncs.at[i];
        json_open(j, '{');
        sync_name(&name, f->m, s->sync);
        key_str(j, "name", &name);
        json_put_text(j, "class", lock_class(f->m, s->sync));
        json_put_u64(j, "acquires", s->acquires);
        if (knows_contention(f))
            json_put_u64(j, "contended", s->contended);
        json_put_u64(j, "threads", s->threads);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void json_model(const struct figures *f, struct json *j)
{
    const struct model_dropped *d = &f->m->dropped;
    json_put_open(j, "model", '{');
    json_put_u64(j, "events", f->m->ev_count);
    json_put_u64(j, "bytes", f->m->bytes);
    json_put_open(j, "left_out", '{');
    JSON_U64S(j, {"private_accesses", d->private_accesses}, {"branches", d->branches},
              {"inner_locks", d->inner_locks}, {"unheld_releases", d->unheld_releases},
              {"other", d->other});
    json_close(j, '}');
    json_close(j, '}');
}

static void print_json(const struct figures *f, struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    json_head(f, &j);
    json_kinds(f, &j);
    json_threads(f, &j);
    json_locations(f, &j);
    json_locks(f, &j);
    json_model(f, &j);
    json_close(&j, '}');
    str_char(out, '\n');
}

/* ---- the verb ---------------------------------------------------------------------------- */

static int stat_of(struct input *in, bool as_json, struct str *out, struct err *err)
{
    AUTO(model) struct model *m =
        model_build(&in->trace, &(struct model_opts){.unenforced = true, .weak = true}, err);
    struct figures f = {.in = in, .m = m};
    if (!m || gather(&f, err) < 0)
        return err_in(err, "%s", in->name);
    if (as_json)
        print_json(&f, out);
    else
        print_table(&f, out);
    in->trace.cut = f.stat.cut;
    model_stat_done(&f.stat);
    return 0;
}

int trace_stat(const struct trace_opts *opts)
{
    AUTO(input) struct input in = {0};
    AUTO(str) struct str out = {0};
    struct err err;
    int code = input_read(&in, opts->file, &err);
    if (code == EXIT_GOOD)
        code = input_open(&in, opts, &err);
    if (code == EXIT_GOOD)
        code = input_apply_filter(&in, &err);
    if (code != EXIT_GOOD)
        return cmd_fail(code, &err);
    progress_begin("counting");
    int done = stat_of(&in, opts->json, &out, &err);
    progress_end();
    if (done < 0)
        return cmd_fail(EXIT_WORLD, &err);
    code = cmd_print(&out);
    if (code != EXIT_GOOD)
        return code;
    input_note_empty(&in, in.trace.head.event_count == 0);
    input_note_cut(&in, in.trace.cut);
    return EXIT_GOOD;
}
