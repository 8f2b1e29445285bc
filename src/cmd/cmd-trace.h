/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-trace: what the verbs of `heddle trace` share: options, and an opened input. */
#ifndef CMD_CMD_TRACE_H
#define CMD_CMD_TRACE_H

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "trace/trace.h"

struct trace_opts {
    const char *file;
    const char *threads; /* NULL: all */
    uint64_t from, to;
    option_texts locations;
    unsigned convert_to; /* enum convert_format */
    unsigned export_to;  /* enum export_format */
    bool zstd, json;
    const char *output;
};

/* Positions in the lists of choices, from 1. */
enum convert_format { CONVERT_TEXT = 1, CONVERT_STD, CONVERT_BINARY };
enum export_format { EXPORT_CHROME = 1, EXPORT_STD, EXPORT_HTML };

struct input {
    const char *name;    /* for messages; borrowed */
    struct bytes bytes;  /* owned, until the trace is opened; unpacked */
    size_t file_bytes;   /* on disk */
    const char *packing; /* "gzip", "zstd" or NULL */
    struct trace trace;  /* owned */
    struct trace_filter filter;
    bool is_filtered;
    bool has_unknown; /* a location that no event touches; it has been told */
};

/* The functions below return an exit code, with err set unless it is EXIT_GOOD. */
int input_read(struct input *out, const char *path, struct err *err);
/* The bytes become a trace, and the options a filter. */
int input_open(struct input *in, const struct trace_opts *opts, struct err *err);
/* What the filter leaves becomes the trace. */
int input_apply_filter(struct input *in, struct err *err);
void input_close(struct input *in);

static inline void auto_input(struct input *in)
{
    input_close(in);
}

/* Notes that a user has to know about the trace, once it was walked to its end. */
void input_note_cut(const struct input *in, bool cut);
/* is_empty: the filter left nothing. */
void input_note_empty(const struct input *in, bool is_empty);

/* The verbs: each says everything there is to say and returns an exit code. */
int trace_dump(const struct trace_opts *opts);
int trace_stat(const struct trace_opts *opts);
int trace_convert(const struct trace_opts *opts);
int trace_export(const struct trace_opts *opts);

#endif
