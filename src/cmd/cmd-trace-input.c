/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-trace-input: from the words of the command line to a trace and what of it is wanted. */
#include "cmd/cmd-trace.h"

#include "base/log.h"
#include "cmd/cmd-replay.h"
#include "witness/witness.h"

#include <string.h>

static const char *packing_of(const struct bytes *b)
{
    if (b->len >= 2 && b->at[0] == 0x1f && b->at[1] == 0x8b)
        return "gzip";
    return b->len >= 4 && memcmp(b->at, "\x28\xb5\x2f\xfd", 4) == 0 ? "zstd" : NULL;
}

static int unpack(struct input *in, struct err *err)
{
    if (bytes_unpack(&in->bytes, err) < 0)
        return err_in(err, "%s", in->name);
    if (packing_of(&in->bytes))
        return err_set(err, "%s: packed twice, with %s and then with %s; unpack it once",
                       in->name, packing_of(&in->bytes), in->packing);
    return 0;
}

/* Of a witness, the trace of the run that followed it. */
static int read_followed(struct input *in, const char *path, struct err *err)
{
    AUTO(str) struct str trace = {0};
    bytes_done(&in->bytes);
    in->bytes = (struct bytes){0};
    witness_run(&trace, path);
    str_add(&trace, "/trace");
    if (bytes_read(&in->bytes, trace.at, err) < 0)
        return err_set(err,
                       "%s: a witness, and no run that followed it is kept beside it: heddle "
                       "check makes one",
                       path);
    return 0;
}

int input_read(struct input *out, const char *path, struct err *err)
{
    bool standard_input = strcmp(path, "-") == 0;
    struct input in = {.name = standard_input ? "standard input" : path,
                       .filter = {.to = NO_EVENT}};
    progress_begin("reading");
    int got = bytes_read(&in.bytes, standard_input ? "/dev/stdin" : path, err);
    if (got == 0 && witness_file_is(&in.bytes))
        got = read_followed(&in, path, err);
    if (got == 0) {
        in.packing = packing_of(&in.bytes);
        in.file_bytes = in.bytes.len;
        got = unpack(&in, err);
    }
    progress_end();
    if (got < 0) {
        bytes_done(&in.bytes);
        return EXIT_WORLD;
    }
    *out = in;
    return EXIT_GOOD;
}

/* Definitions stand anywhere in a trace: all threads are known at its end only. What is
 * corrupt will be told by whoever uses the filter. */
static void find_threads(struct trace *t)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    struct err ignored;
    cursor_init(c, t);
    c->values = false;
    while (trace_next_bare(c, &e, &ignored) > ITEM_END)
        continue;
    free(c);
}

/* T3 */
static bool thread_number(struct text word, uint64_t *out)
{
    struct text digits = {word.at + 1, word.len - 1};
    return word.len > 1 && (word.at[0] == 'T' || word.at[0] == 't') && text_number(digits, out);
}

/* By number or by name; in an imported trace names come first, because T3 may be one. */
static int add_thread(struct input *in, struct text word, struct err *err)
{
    const struct trace *t = &in->trace;
    uint64_t number = UINT64_MAX;
    bool is_number = thread_number(word, &number) && number < t->threads.len, found = false;
    if (is_number && !(t->head.flags & TRACE_IMPORTED)) {
        vec_push(&in->filter.threads, (uint32_t)number);
        return EXIT_GOOD;
    }
    for (uint32_t i = 0; i < t->threads.len; i++) {
        struct text name = {t->threads.at[i].name.at, t->threads.at[i].name.len};
        if (word.len == 0 || !text_is(word, name))
            continue;
        vec_push(&in->filter.threads, i);
        found = true;
    }
    if (!found && is_number)
        vec_push(&in->filter.threads, (uint32_t)number);
    if (found || is_number)
        return EXIT_GOOD;
    err_set(err, "%s: no thread '%.*s'; there are %u, see 'heddle trace stat'", in->name,
            TEXT_ARG(word), t->threads.len);
    return EXIT_USAGE;
}

static int add_threads(struct input *in, const char *list, struct err *err)
{
    find_threads(&in->trace);
    for (const char *at = list;; at++) {
        const char *comma = strchrnul(at, ',');
        struct text word = {at, (uint32_t)(comma - at)};
        int code = add_thread(in, word, err);
        if (code != EXIT_GOOD || !*comma)
            return code;
        at = comma;
    }
}

/* Names of locations that no event touches; mostly it takes a few events to see that all are
 * known. What is corrupt will be told by whoever uses the filter. */
static void note_unknown(struct input *in)
{
    AUTO(space) struct space *space = space_new();
    VEC(struct text) unknown = {0};
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e = {0};
    struct err ignored;
    int item;
    for (uint32_t i = 0; i < in->filter.names.len; i++)
        vec_push(&unknown, in->filter.names.at[i]);
    cursor_init(c, &in->trace);
    c->values = false;
    while (unknown.len > 0 && (item = trace_next_bare(c, &e, &ignored)) > ITEM_END) {
        space_feed(space, c, item, &e);
        for (uint32_t i = unknown.len; item == ITEM_EVENT && i-- > 0;)
            if (ev_touches(&e, space, unknown.at[i])) {
                unknown.len--;
                memmove(&unknown.at[i], &unknown.at[i + 1],
                        (unknown.len - i) * sizeof *unknown.at);
            }
    }
    for (uint32_t i = 0; i < unknown.len; i++)
        cmd_note("%s: no event touches '%.*s'", in->name, TEXT_ARG(unknown.at[i]));
    in->has_unknown = unknown.len > 0;
    vec_done(&unknown);
    free(c);
}

int input_open(struct input *in, const struct trace_opts *opts, struct err *err)
{
    progress_begin("reading");
    int opened = trace_open_bytes(&in->trace, &in->bytes, in->name, err);
    progress_end();
    if (opened < 0)
        return EXIT_WORLD;
    in->trace.file_bytes = in->file_bytes;
    in->filter.from = opts->from;
    in->filter.to = opts->to;
    for (uint32_t i = 0; i < opts->locations.len; i++)
        vec_push(&in->filter.names, text_of(opts->locations.at[i]));
    in->is_filtered =
        opts->from > 0 || opts->to != NO_EVENT || opts->threads || opts->locations.len > 0;
    note_unknown(in);
    return opts->threads ? add_threads(in, opts->threads, err) : EXIT_GOOD;
}

static int keep_text(void *arg, struct str *text, struct err *err)
{
    struct str *kept = arg;
    (void)err;
    str_bytes(kept, text->at, text->len);
    text->len = 0;
    return 0;
}

/* The text notation knows how to leave events out without leaving references in the air. */
int input_apply_filter(struct input *in, struct err *err)
{
    AUTO(str) struct str text = {0};
    AUTO(bytes) struct bytes copy = {0};
    struct trace filtered;
    if (!in->is_filtered)
        return EXIT_GOOD;
    if (text_write(&in->trace, &in->filter, keep_text, &text, err) < 0) {
        err_in(err, "%s", in->name);
        return EXIT_WORLD;
    }
    if (bytes_new(&copy, text.len, err) < 0)
        return EXIT_WORLD;
    memcpy((void *)(uintptr_t)copy.at, text.at, text.len);
    if (trace_open_bytes(&filtered, &copy, in->name, err) < 0)
        return EXIT_WORLD;
    filtered.source = in->trace.source;
    filtered.file_bytes = in->trace.file_bytes;
    filtered.dropped = in->trace.dropped;
    trace_close(&in->trace);
    in->trace = filtered;
    return EXIT_GOOD;
}

void input_note_cut(const struct input *in, bool cut)
{
    if (cut)
        cmd_note("%s: cut: its writer was killed, or the file was cut off later", in->name);
}

void input_note_empty(const struct input *in, bool is_empty)
{
    if (is_empty && in->is_filtered && !in->has_unknown)
        cmd_note("%s: no event is left by these options", in->name);
}

void input_close(struct input *in)
{
    bytes_done(&in->bytes);
    trace_close(&in->trace);
    vec_done(&in->filter.threads);
    vec_done(&in->filter.names);
}
