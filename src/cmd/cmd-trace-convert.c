/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-trace-convert: dump, convert and export: a trace goes out in another form. */
#include "cmd/cmd-trace.h"

#include "base/log.h"

#include <string.h>

/* ---- where it goes ----------------------------------------------------------------------- */

/* A sink in front of the output: packed output is packed as a whole, at the end. */
struct writing {
    struct output out;
    struct str kept; /* owned; what is to be packed */
    bool pack;
    bool has_number; /* a line began with an event's number: with a filter all events do */
    uint64_t bytes;  /* so far */
};

static void auto_writing(struct writing *w)
{
    output_close(&w->out);
    str_done(&w->kept);
}

static int write_text(void *arg, struct str *text, struct err *err)
{
    struct writing *w = arg;
    if (text->len > 0 && !w->has_number)
        w->has_number = text->at[0] == '#' || strstr(text->at, "\n#");
    w->bytes += text->len;
    progress_count(w->bytes >> 20, "MiB written");
    if (!w->pack)
        return output_text(&w->out, text, err);
    str_bytes(&w->kept, text->at, text->len);
    text->len = 0;
    return 0;
}

static int write_packed(struct writing *w, const struct bytes *data, struct err *err)
{
    AUTO(bytes) struct bytes packed = {0};
    if (bytes_pack_zstd(data, &packed, err) < 0)
        return -1;
    return output_bytes(&w->out, packed.at, packed.len, err);
}

static int writing_finish(struct writing *w, struct err *err)
{
    struct bytes kept = {.at = (const uint8_t *)w->kept.at, .len = w->kept.len};
    if (w->pack && kept.len > 0 && write_packed(w, &kept, err) < 0)
        return -1;
    return output_finish(&w->out, err);
}

/* A failure is about the output or about the input; the message names the one it is. */
static int fail(const struct writing *w, const struct input *in, struct err *err)
{
    if (w->out.reader_gone)
        return EXIT_PIPE;
    if (!w->out.failed)
        err_in(err, "%s", in->name);
    return cmd_fail(EXIT_WORLD, err);
}

static void note_dropped(const struct input *in)
{
    uint32_t n = in->trace.dropped;
    if (n > 0)
        cmd_note("%s: %u line%s could not be used", in->name, n, n == 1 ? "" : "s");
}

/* ---- dump -------------------------------------------------------------------------------- */

static int dump_runfile(struct input *in, const struct trace_opts *opts)
{
    AUTO(str) struct str text = {0};
    struct runfile r;
    struct err err;
    if (opts->threads || opts->from > 0 || opts->to != NO_EVENT || opts->locations.len > 0) {
        cmd_note("%s: only a trace can be filtered", in->name);
        return EXIT_USAGE;
    }
    if (runfile_open_bytes(&r, &in->bytes, in->name, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    runfile_print(&r, &text);
    bool cut = r.cut;
    runfile_close(&r);
    int code = cmd_print(&text);
    if (code == EXIT_GOOD)
        input_note_cut(in, cut);
    return code;
}

static int dump_trace(struct input *in, const struct trace_opts *opts)
{
    AUTO(writing) struct writing w = {.out = {.fd = -1}};
    struct err err;
    int code = input_open(in, opts, &err);
    if (code != EXIT_GOOD)
        return cmd_fail(code, &err);
    note_dropped(in);
    if (output_open(&w.out, "-", &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    if (!isatty(STDOUT_FILENO))
        progress_begin("dumping");
    int written = text_write(&in->trace, &in->filter, write_text, &w, &err);
    progress_end();
    if (written < 0)
        return fail(&w, in, &err);
    input_note_empty(in, !w.has_number);
    input_note_cut(in, in->trace.cut);
    return EXIT_GOOD;
}

int trace_dump(const struct trace_opts *opts)
{
    AUTO(input) struct input in = {0};
    struct err err;
    if (input_read(&in, opts->file, &err) != EXIT_GOOD)
        return cmd_fail(EXIT_WORLD, &err);
    return runfile_is(&in.bytes) ? dump_runfile(&in, opts) : dump_trace(&in, opts);
}

/* ---- convert and export ------------------------------------------------------------------ */

/* What is corrupt is not copied; what a dead writer left unused is left out. */
static int write_binary(struct writing *w, struct trace *t, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e = {0};
    int item;
    cursor_init(c, t);
    c->values = false;
    while ((item = trace_next_bare(c, &e, err)) > ITEM_END)
        continue;
    struct bytes used = t->bytes;
    t->cut = c->cut;
    if (t->cut)
        used.len = (size_t)(c->at - t->bytes.at);
    free(c);
    if (item < 0)
        return -1;
    return w->pack ? write_packed(w, &used, err)
                   : output_bytes(&w->out, used.at, used.len, err);
}

static int write_std(struct writing *w, struct input *in, struct err *err)
{
    uint64_t left_out = 0;
    if (std_write(&in->trace, &in->filter, write_text, w, &left_out, err) < 0)
        return -1;
    if (left_out > 0)
        cmd_note("%s: STD has no word for %llu event%s, left out", in->name,
                 (unsigned long long)left_out, left_out == 1 ? "" : "s");
    return 0;
}

enum form { FORM_TEXT, FORM_STD, FORM_BINARY, FORM_CHROME, FORM_HTML };

static int write_form(struct writing *w, struct input *in, enum form form, struct err *err)
{
    switch (form) {
    case FORM_TEXT:
        return text_write(&in->trace, &in->filter, write_text, w, err);
    case FORM_STD:
        return write_std(w, in, err);
    case FORM_CHROME:
        return chrome_write(&in->trace, &in->filter, write_text, w, err);
    case FORM_HTML:
        return overview_write(&in->trace, &in->filter, in->name, write_text, w, err);
    default:
        return write_binary(w, &in->trace, err);
    }
}

/* A timeline always has something in it. */
static bool is_empty(const struct writing *w, const struct input *in, enum form form)
{
    switch (form) {
    case FORM_TEXT:
        return !w->has_number;
    case FORM_STD:
        return w->bytes == 0;
    case FORM_BINARY:
        return in->trace.head.event_count == 0;
    default:
        return false;
    }
}

static int convert_to(const struct trace_opts *opts, enum form form)
{
    AUTO(input) struct input in = {0};
    AUTO(writing) struct writing w = {.out = {.fd = -1}, .pack = opts->zstd};
    struct err err;
    bool unreadable = form == FORM_BINARY || opts->zstd;
    if (unreadable && strcmp(opts->output, "-") == 0 && isatty(STDOUT_FILENO)) {
        cmd_note("binary data is not for a terminal: use -o FILE");
        return EXIT_USAGE;
    }
    int code = input_read(&in, opts->file, &err);
    if (code == EXIT_GOOD)
        code = input_open(&in, opts, &err);
    if (code == EXIT_GOOD && form == FORM_BINARY)
        code = input_apply_filter(&in, &err);
    if (code != EXIT_GOOD)
        return cmd_fail(code, &err);
    note_dropped(&in);
    if (output_open(&w.out, opts->output, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    progress_begin("converting");
    int written = write_form(&w, &in, form, &err);
    if (written == 0)
        written = writing_finish(&w, &err);
    progress_end();
    if (written < 0)
        return fail(&w, &in, &err);
    input_note_empty(&in, is_empty(&w, &in, form));
    input_note_cut(&in, in.trace.cut);
    return EXIT_GOOD;
}

int trace_convert(const struct trace_opts *opts)
{
    static const enum form forms[] = {
        [CONVERT_TEXT] = FORM_TEXT, [CONVERT_STD] = FORM_STD, [CONVERT_BINARY] = FORM_BINARY};
    if (!opts->convert_to) {
        cmd_note("convert to what? --format text, std or binary");
        return EXIT_USAGE;
    }
    return convert_to(opts, forms[opts->convert_to]);
}

int trace_export(const struct trace_opts *opts)
{
    static const enum form forms[] = {
        [EXPORT_CHROME] = FORM_CHROME, [EXPORT_STD] = FORM_STD, [EXPORT_HTML] = FORM_HTML};
    if (!opts->export_to) {
        cmd_note("export to what? --format html, chrome or std");
        return EXIT_USAGE;
    }
    return convert_to(opts, forms[opts->export_to]);
}
