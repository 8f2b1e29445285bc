/* SPDX-License-Identifier: Apache-2.0
 *
 * runfile: the small files beside a trace: command, schedule, input, output, outcome. Each is
 * a head and a row of records. As with the trace, a file that merely stops (the writer was
 * killed) reads as a shorter one, and one that contradicts itself is corrupt. */
#include "heddle/weak.h"
#include "trace/trace.h"

#include <string.h>

/* One system call moves less than 2 GiB: no record can be longer. */
#define RECORD_DATA_MAX_BYTES ((uint64_t)1 << 31)

enum { NAME_MAX_BYTES = 64, SHOWN_MAX_BYTES = 60 };

static const char *const kind_names[] = {
    [LOG_COMMAND] = "command", [LOG_SCHEDULE] = "schedule", [LOG_INPUT] = "input",
    [LOG_OUTPUT] = "output",   [LOG_OUTCOME] = "outcome",   [LOG_BEFORE] = "before",
};

static const struct {
    const char *text;
    uint32_t file; /* enum log_kind it belongs into; 0: no such tag */
} tags[] = {
    [TAG_ARGUMENT] = {"argument", LOG_COMMAND},
    [TAG_DIRECTORY] = {"directory", LOG_COMMAND},
    [TAG_ENVIRONMENT] = {"environment", LOG_COMMAND},
    [TAG_BUILD] = {"build", LOG_COMMAND},
    [TAG_CALL] = {"call", LOG_INPUT},
    [TAG_PRINTED] = {"printed", LOG_OUTPUT},
    [TAG_OUTCOME] = {"outcome", LOG_OUTCOME},
    [TAG_STACK] = {"stack", LOG_OUTCOME},
    [TAG_DOUBT] = {"doubt", LOG_OUTCOME},
    [TAG_WAIT] = {"wait", LOG_OUTCOME},
    [TAG_HOLDER] = {"holder", LOG_OUTCOME},
    [TAG_PROCESS] = {"process", LOG_COMMAND},
    [TAG_MADE] = {"made", LOG_COMMAND},
    [TAG_BEFORE] = {"before", LOG_BEFORE},
};

enum { KIND_COUNT = sizeof kind_names / sizeof kind_names[0] };
enum { TAG_COUNT = sizeof tags / sizeof tags[0] };

/* ---- reading ------------------------------------------------------------------------- */

bool runfile_is(const struct bytes *in)
{
    return in->len >= 8 && fmt_load64(in->at) == LOG_MAGIC;
}

static int corrupt(const struct runfile *r, size_t at, const char *what, struct err *err)
{
    return err_set(err, "corrupt %s file at byte %zu: %s", kind_names[r->head.kind], at, what);
}

static int read_head(struct runfile *r, struct err *err)
{
    if (r->bytes.len < sizeof r->head)
        return err_set(err, "the head is cut off: the writer died before its first record");
    memcpy(&r->head, r->bytes.at, sizeof r->head);
    bool known = r->head.kind > 0 && r->head.kind < KIND_COUNT && kind_names[r->head.kind];
    if (r->head.version != TRACE_VERSION)
        return err_set(
            err,
            "%s format %u, this heddle reads %u: record the run again, or use the heddle "
            "that wrote it",
            known ? kind_names[r->head.kind] : "run file", r->head.version, TRACE_VERSION);
    if (!known)
        return err_set(err, "corrupt head: no kind %u of file", r->head.kind);
    return 0;
}

/* The name of a call stands before its data, closed by a zero byte. Its length with that
 * byte, or 0 if there is no proper name. */
static uint32_t call_name_bytes(const struct log_entry *e)
{
    for (uint32_t i = 0; i < e->head.bytes && i <= NAME_MAX_BYTES; i++) {
        uint8_t c = e->data[i];
        if (c == 0)
            return i > 0 ? i + 1 : 0;
        if (c <= ' ' || c >= 0x7f)
            return 0;
    }
    return 0;
}

static bool is_wait(uint16_t tag)
{
    return tag == TAG_WAIT || tag == TAG_HOLDER;
}

/* What it says, if its three texts are there and nothing else. */
static bool wait_read(const struct log_entry *e, struct log_wait_said *out)
{
    const char *texts[3], *at = (const char *)e->data + sizeof out->head;
    uint64_t left = e->head.bytes - sizeof out->head;
    if (e->head.bytes < sizeof out->head)
        return false;
    memcpy(&out->head, e->data, sizeof out->head);
    for (uint32_t i = 0; i < 3; i++) {
        const char *end = memchr(at, 0, left);
        if (!end)
            return false;
        texts[i] = at;
        left -= (uint64_t)(end + 1 - at);
        at = end + 1;
    }
    out->file = texts[0];
    out->function = texts[1];
    out->name = texts[2];
    return left == 0;
}

struct log_wait_said log_wait_said(const struct log_entry *e)
{
    struct log_wait_said said;
    CHECK(is_wait(e->head.tag) && wait_read(e, &said));
    return said;
}

/* NULL if the record means something. */
static const char *record_fault(const struct runfile *r, const struct log_record *h)
{
    if (h->mark != LOG_MARK)
        return "no record starts here";
    if (h->tag >= TAG_COUNT || tags[h->tag].file != r->head.kind)
        return "unknown record";
    if (h->bytes > RECORD_DATA_MAX_BYTES)
        return "the record is too long";
    bool has_thread = h->tag == TAG_CALL || h->tag == TAG_STACK || is_wait(h->tag);
    if (has_thread && h->thr >= THREADS_MAX)
        return "no such thread";
    if (h->tag == TAG_OUTCOME && !word_text(OUTCOME_FIRST, h->ordinal))
        return "unknown outcome";
    if (h->tag == TAG_DOUBT && h->ordinal >= DOUBT_COUNT)
        return "unknown doubt";
    if (h->tag == TAG_WAIT && !word_text(WAITS_FIRST, h->ordinal))
        return "unknown kind of wait";
    if (h->tag == TAG_HOLDER &&
        (r->entries.len == 0 || !is_wait(r->entries.at[r->entries.len - 1].head.tag)))
        return "nobody waits for what is held";
    return NULL;
}

static size_t padded(uint64_t bytes)
{
    return (size_t)((bytes + 7) & ~(uint64_t)7);
}

/* Bytes behind the last whole record are a record that did not come to exist. */
static int read_entries(struct runfile *r, struct err *err)
{
    size_t at = sizeof r->head, left;
    for (; (left = r->bytes.len - at) >= sizeof(struct log_record);) {
        struct log_entry e = {.data = r->bytes.at + at + sizeof e.head};
        memcpy(&e.head, r->bytes.at + at, sizeof e.head);
        if (e.head.mark == 0)
            break;
        const char *fault = record_fault(r, &e.head);
        if (fault)
            return corrupt(r, at, fault, err);
        if (padded(e.head.bytes) > left - sizeof e.head)
            break;
        if (e.head.tag == TAG_CALL && call_name_bytes(&e) == 0)
            return corrupt(r, at, "the call has no name", err);
        struct log_wait_said ignored;
        if (is_wait(e.head.tag) && !wait_read(&e, &ignored))
            return corrupt(r, at, "no wait is described there", err);
        vec_push(&r->entries, e);
        at += sizeof e.head + padded(e.head.bytes);
    }
    r->cut = at < r->bytes.len;
    return 0;
}

static int read_choices(struct runfile *r, struct err *err)
{
    size_t at = sizeof r->head;
    for (; r->bytes.len - at >= sizeof(struct choice); at += sizeof(struct choice)) {
        struct choice c;
        memcpy(&c, r->bytes.at + at, sizeof c);
        if (c.mark == 0)
            break;
        if (c.mark != LOG_MARK)
            return corrupt(r, at, "no choice starts here", err);
        if (c.why == WORD_VALUE(SWITCH, ARRIVED)) { /* no thread's */
            r->arrivals++;
            continue;
        }
        if ((choice_is_weak(&c) ? weak_unpack(&c).thr : c.thr) >= THREADS_MAX)
            return corrupt(r, at, "no such thread", err);
        if (!word_text(SWITCH_FIRST, c.why))
            return corrupt(r, at, "unknown reason of a choice", err);
        vec_push(&r->choices, c);
    }
    r->cut = at < r->bytes.len;
    return 0;
}

static void auto_runfile(struct runfile *r)
{
    runfile_close(r);
}

int runfile_open_bytes(struct runfile *out, struct bytes *take, const char *name,
                       struct err *err)
{
    AUTO(runfile) struct runfile r = {.bytes = *take};
    *take = (struct bytes){0};
    if (bytes_unpack(&r.bytes, err) < 0)
        return err_in(err, "%s", name);
    if (!runfile_is(&r.bytes))
        return err_set(err, "%s: not a command, schedule, input, output or outcome file", name);
    if (read_head(&r, err) < 0)
        return err_in(err, "%s", name);
    if ((r.head.kind == LOG_SCHEDULE ? read_choices(&r, err) : read_entries(&r, err)) < 0)
        return err_in(err, "%s", name);
    *out = r;
    r = (struct runfile){0};
    return 0;
}

int runfile_open(struct runfile *out, const char *path, struct err *err)
{
    struct bytes b;
    bool standard_input = strcmp(path, "-") == 0;
    if (bytes_read(&b, standard_input ? "/dev/stdin" : path, err) < 0)
        return -1;
    return runfile_open_bytes(out, &b, standard_input ? "standard input" : path, err);
}

void runfile_close(struct runfile *r)
{
    bytes_done(&r->bytes);
    vec_done(&r->entries);
    vec_done(&r->choices);
}

/* ---- printing ------------------------------------------------------------------------ */

/* Quoted, one line whatever it holds; cut behind max bytes. */
static void print_quoted(struct str *out, const uint8_t *data, uint64_t len, uint64_t max)
{
    str_char(out, '"');
    for (uint64_t i = 0; i < len && i < max; i++) {
        uint8_t c = data[i];
        if (c == '\n')
            str_add(out, "\\n");
        else if (c == '\t')
            str_add(out, "\\t");
        else if (c == '"' || c == '\\')
            str_add(out, "\\%c", c);
        else if (c < ' ' || c >= 0x7f)
            str_add(out, "\\x%02x", c);
        else
            str_char(out, (char)c);
    }
    str_char(out, '"');
    if (len > max)
        str_add(out, "...");
}

static void print_data(struct str *out, const uint8_t *data, uint64_t len)
{
    str_add(out, " %llu byte%s", (unsigned long long)len, len == 1 ? "" : "s");
    if (len == 0)
        return;
    str_char(out, ' ');
    print_quoted(out, data, len, SHOWN_MAX_BYTES);
}

static void print_call(struct str *out, const struct log_entry *e)
{
    uint32_t name_bytes = call_name_bytes(e);
    str_add(out, "call T%u #%u %s = %lld errno %d", e->head.thr, e->head.ordinal,
            (const char *)e->data, (long long)e->head.result, e->head.error);
    print_data(out, e->data + name_bytes, e->head.bytes - name_bytes);
}

static void print_outcome(struct str *out, const struct log_entry *e)
{
    str_add(out, "%s", word_text(OUTCOME_FIRST, e->head.ordinal));
    if (e->head.result >= 0)
        str_add(out, " %lld", (long long)e->head.result);
    if (e->head.bytes > 0)
        str_char(out, ' ');
}

static void print_wait(struct str *out, const struct log_entry *e)
{
    struct log_wait_said said = log_wait_said(e);
    str_add(out, "%s T%u", tags[e->head.tag].text, e->head.thr);
    if (e->head.tag == TAG_WAIT)
        str_add(out, " for \"%s\"", word_text(WAITS_FIRST, e->head.ordinal));
    if (said.head.number || said.head.of)
        str_add(out, " %u of %u", said.head.number, said.head.of);
    str_add(out, " object 0x%llx ", (unsigned long long)said.head.object);
    print_quoted(out, (const uint8_t *)said.name, strlen(said.name), UINT64_MAX);
    str_add(out, " at ");
    print_quoted(out, (const uint8_t *)said.file, strlen(said.file), UINT64_MAX);
    str_add(out, ":%u ", said.head.line);
    print_quoted(out, (const uint8_t *)said.function, strlen(said.function), UINT64_MAX);
}

static void print_entry(struct str *out, const struct log_entry *e)
{
    bool has_text = true;
    switch (e->head.tag) {
    case TAG_CALL:
        print_call(out, e);
        has_text = false;
        break;
    case TAG_PRINTED:
        str_add(out, "printed fd %u", e->head.ordinal);
        print_data(out, e->data, e->head.bytes);
        has_text = false;
        break;
    case TAG_OUTCOME:
        print_outcome(out, e);
        has_text = e->head.bytes > 0;
        break;
    case TAG_STACK:
        str_add(out, "stack T%u ", e->head.thr);
        break;
    case TAG_WAIT:
    case TAG_HOLDER:
        print_wait(out, e);
        has_text = false;
        break;
    case TAG_DOUBT:
        str_add(out, "doubt %s ", doubt_word((enum doubt)e->head.ordinal));
        break;
    default:
        str_add(out, "%s ", tags[e->head.tag].text);
        break;
    }
    if (has_text)
        print_quoted(out, e->data, e->head.bytes, UINT64_MAX);
    str_char(out, '\n');
}

static void print_choice(struct str *out, const struct choice *c)
{
    struct weak_choice w = weak_unpack(c);
    if (!choice_is_weak(c))
        str_add(out, "step %llu: T%u (%s)\n", (unsigned long long)c->step, c->thr,
                word_text(SWITCH_FIRST, c->why));
    else if (!w.count)
        str_add(out, "weak: %s, history %llu\n",
                weak_mode_of(c - 1, 2) == WEAK_X86 ? "x86" : "c11",
                (unsigned long long)weak_history_of(c));
    else
        str_add(out, "step %llu: T%u (weak) number %u of %u\n", (unsigned long long)c->step,
                w.thr, w.number, w.count);
}

void runfile_print(const struct runfile *r, struct str *out)
{
    for (uint32_t i = 0; i < r->entries.len; i++)
        print_entry(out, &r->entries.at[i]);
    for (uint32_t i = 0; i < r->choices.len; i++) {
        const struct choice *c = &r->choices.at[i];
        print_choice(out, c);
    }
    if (r->cut)
        str_add(out, "cut\n");
}

/* ---- writing ------------------------------------------------------------------------- */

void runfile_begin(struct runfile_out *o, enum log_kind kind)
{
    struct log_head head = {.magic = LOG_MAGIC, .version = TRACE_VERSION, .kind = kind};
    str_bytes(&o->bytes, (const char *)&head, sizeof head);
}

void runfile_add(struct runfile_out *o, struct log_record head, const void *data)
{
    static const char zeros[8];
    head.mark = LOG_MARK;
    str_bytes(&o->bytes, (const char *)&head, sizeof head);
    if (head.bytes == 0)
        return;
    str_bytes(&o->bytes, data, head.bytes);
    str_bytes(&o->bytes, zeros, padded(head.bytes) - head.bytes);
}

void runfile_choice(struct runfile_out *o, struct choice c)
{
    c.mark = LOG_MARK;
    str_bytes(&o->bytes, (const char *)&c, sizeof c);
}
