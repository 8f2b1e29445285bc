/* SPDX-License-Identifier: Apache-2.0
 *
 * witness-file: reads and prints the text. One line, one statement, fields separated by single
 * spaces; a field that is empty is a -, one with other than plain characters is quoted. */
#include "witness/witness-file.h"

#include <string.h>

enum { FIELDS_MAX = 4096, PATH_MAX_DEPTH = 1000 };

static const char head_word[] = "heddle witness ";

static const char *const how_words[] = {"run", "event", "at"};

struct reader {
    struct witness_file *f;
    const char *name;
    const char *at, *end; /* of the whole text */
    uint32_t line;
    struct text field[FIELDS_MAX]; /* of this line, unquoted */
    uint32_t count;
    struct err *err;
};

#define FAULT(r, ...) \
    (err_set((r)->err, __VA_ARGS__), err_in((r)->err, "%s:%u", (r)->name, (r)->line))

bool witness_site_is(const struct witness_site *w, const struct def_site *s)
{
    return w->column == s->column && w->statement == s->statement &&
           text_is(w->function, text_from(s->function)) &&
           text_is(w->name, text_from(s->name)) &&
           text_is(text_base_name(w->file), text_base_name(text_from(s->file)));
}

/* ---- fields ---------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* p stands behind a backslash. Bytes taken, 0 if it is no escape. */
static uint32_t unescape(const char *p, const char *end, char *out)
{
    if (p == end)
        return 0;
    if (*p == '"' || *p == '\\' || *p == 'n') {
        *out = *p == 'n' ? '\n' : *p;
        return 1;
    }
    if (*p != 'x' || end - p < 3 || hex_digit(p[1]) < 0 || hex_digit(p[2]) < 0)
        return 0;
    *out = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
    return *out ? 3 : 0;
}

/* p stands at the opening quote. Behind the closing one, or NULL. A text has no byte 0, written
 * or escaped. */
static const char *take_quoted(struct reader *r, const char *p, const char *end,
                               struct text *out)
{
    char *to = arena_text(&r->f->mem, p, (size_t)(end - p));
    *out = (struct text){to, 0};
    for (p++; p < end && *p != '"'; out->len++) {
        if (*p == 0)
            return NULL;
        if (*p != '\\') {
            *to++ = *p++;
            continue;
        }
        uint32_t used = unescape(p + 1, end, to++);
        if (used == 0)
            return NULL;
        p += used + 1;
    }
    *to = 0;
    return p < end ? p + 1 : NULL;
}

static const char *take_bare(struct reader *r, const char *p, const char *end, struct text *out)
{
    const char *from = p;
    while (p < end && *p > ' ' && *p <= '~' && *p != '"' && *p != '\\')
        p++;
    if (p == from)
        return NULL;
    bool empty = p - from == 1 && *from == '-';
    *out = (struct text){arena_text(&r->f->mem, from, (size_t)(p - from)),
                         empty ? 0 : (uint32_t)(p - from)};
    return p;
}

static int split(struct reader *r, const char *p, const char *end)
{
    for (r->count = 0; p < end; r->count++) {
        if (r->count == FIELDS_MAX)
            return FAULT(r, "too many fields");
        struct text *t = &r->field[r->count];
        p = *p == '"' ? take_quoted(r, p, end, t) : take_bare(r, p, end, t);
        if (!p || (p < end && *p++ != ' ') || (p == end && p[-1] == ' '))
            return FAULT(r,
                         "field %u: a word, or a text in double quotes, and one space "
                         "between two of them",
                         r->count + 1);
    }
    return 0;
}

static int take_u32(struct reader *r, struct text t, const char *what, uint32_t *out)
{
    uint64_t value;
    if (!text_number(t, &value) || value >= UINT32_MAX)
        return FAULT(r, "'%.*s' is no %s", TEXT_ARG(t), what);
    *out = (uint32_t)value;
    return 0;
}

/* Cuts ":NUMBER" off the end of t. */
static int cut_number(struct reader *r, struct text *t, uint32_t *out)
{
    uint32_t i = t->len;
    while (i > 0 && t->at[i - 1] != ':')
        i--;
    if (i == 0)
        return FAULT(r, "'%.*s' is not FILE:LINE:COLUMN", TEXT_ARG(*t));
    struct text number = {t->at + i, t->len - i};
    t->len = i - 1;
    return take_u32(r, number, "line or column", out);
}

/* FILE:LINE:COLUMN FUNCTION, or - -. */
static int take_site(struct reader *r, struct text place, struct text function,
                     struct witness_site *out)
{
    *out = (struct witness_site){.function = function};
    if (place.len == 0)
        return 0;
    if (cut_number(r, &place, &out->column) < 0 || cut_number(r, &place, &out->line) < 0)
        return -1;
    out->file = place;
    return 0;
}

/* ---- lines ----------------------------------------------------------------------------- */

static int want(struct reader *r, uint32_t count, const char *usage)
{
    return r->count == count ? 0 : FAULT(r, "expected: %s", usage);
}

static int take_path(struct reader *r, struct text t, struct witness_thread *out)
{
    uint32_t *path = ARENA_NEW(&r->f->mem, uint32_t, t.len + 1);
    out->path = path;
    while (t.len > 0) {
        uint32_t i = 0;
        while (i < t.len && t.at[i] != '.')
            i++;
        if (out->depth == PATH_MAX_DEPTH || (i < t.len && i + 1 == t.len))
            return FAULT(r, "not the path of a thread, as 0 or 0.2.1");
        if (take_u32(r, (struct text){t.at, i}, "number of a child", &path[out->depth]) < 0)
            return -1;
        out->depth++;
        i += i < t.len;
        t = (struct text){t.at + i, t.len - i};
    }
    return out->depth ? 0 : FAULT(r, "not the path of a thread, as 0 or 0.2.1");
}

static uint32_t thread_of(const struct witness_file *f, struct text label)
{
    uint32_t i = f->threads.len;
    while (i-- > 0)
        if (text_is(f->threads.at[i].label, label))
            return i;
    return NONE;
}

static bool same_path(const struct witness_thread *a, const struct witness_thread *b)
{
    return a->depth == b->depth && memcmp(a->path, b->path, sizeof *a->path * a->depth) == 0;
}

static int take_thread(struct reader *r)
{
    struct witness_thread t = {.label = r->field[1]};
    if (want(r, 5, "thread LABEL PATH FILE:LINE:COLUMN FUNCTION") < 0 ||
        take_path(r, r->field[2], &t) < 0 ||
        take_site(r, r->field[3], r->field[4], &t.site) < 0)
        return -1;
    if (t.label.len == 0)
        return FAULT(r, "a thread without a label");
    for (uint32_t i = 0; i < r->f->threads.len; i++)
        if (text_is(r->f->threads.at[i].label, t.label) || same_path(&r->f->threads.at[i], &t))
            return FAULT(r, "thread '%.*s' was there already", TEXT_ARG(t.label));
    vec_push(&r->f->threads, t);
    return 0;
}

static int take_step(struct reader *r, enum witness_how how)
{
    struct witness_line l = {.how = how, .line = r->line};
    if (want(r, 9,
             "run|event|at THREAD COUNT FILE:LINE:COLUMN FUNCTION KIND NAME STATEMENT OBJECT") <
        0)
        return -1;
    l.thr = thread_of(r->f, r->field[1]);
    if (l.thr == NONE)
        return FAULT(r, "no thread '%.*s'", TEXT_ARG(r->field[1]));
    if (!text_number(r->field[2], &l.count) || l.count == 0)
        return FAULT(r, "'%.*s' is no count from 1", TEXT_ARG(r->field[2]));
    if (take_site(r, r->field[3], r->field[4], &l.site) < 0)
        return -1;
    l.kind = (uint8_t)ev_kind_of(r->field[5]);
    if (l.kind == EV_NONE)
        return FAULT(r, "no kind of event '%.*s'", TEXT_ARG(r->field[5]));
    l.site.name = r->field[6];
    if (take_u32(r, r->field[7], "number of a statement", &l.site.statement) < 0)
        return -1;
    l.object = r->field[8];
    uint32_t len = r->f->lines.len;
    if (how != WITNESS_AT && len > 0 && r->f->lines.at[len - 1].how == WITNESS_AT)
        return FAULT(r, "the 'at' lines come last");
    vec_push(&r->f->lines, l);
    return 0;
}

static int take_program(struct reader *r)
{
    if (r->f->program.len > 0)
        return FAULT(r, "a second 'program'");
    if (r->count < 2)
        return FAULT(r, "expected: program ARGUMENT...");
    for (uint32_t i = 1; i < r->count; i++)
        vec_push(&r->f->program, arena_text(&r->f->mem, r->field[i].at, r->field[i].len));
    vec_push(&r->f->program, NULL);
    return 0;
}

static int take_word(struct reader *r, struct text *out, const char *usage)
{
    if (want(r, 2, usage) < 0)
        return -1;
    if (out->len > 0)
        return FAULT(r, "a second '%.*s'", TEXT_ARG(r->field[0]));
    *out = r->field[1];
    return 0;
}

/* 2/1 */
static int take_process(struct reader *r)
{
    if (take_word(r, &r->f->process, "process NUMBER[/NUMBER...]") < 0)
        return -1;
    struct text t = r->f->process;
    for (uint32_t i = 0; i < t.len; i++) {
        bool is_end = i + 1 == t.len || t.at[i + 1] == '/';
        if ((t.at[i] < '0' || t.at[i] > '9') && (t.at[i] != '/' || i == 0 || is_end))
            return FAULT(r, "'%.*s' is no process, as 1 or 2/1", TEXT_ARG(t));
    }
    return t.len > 0 ? 0 : FAULT(r, "a process without a number");
}

static int take_line(struct reader *r)
{
    struct text word = r->field[0];
    if (text_is(word, TEXT("pattern")))
        return take_word(r, &r->f->pattern, "pattern WORD");
    if (text_is(word, TEXT("query")))
        return take_word(r, &r->f->query, "query \"TEXT\"");
    if (text_is(word, TEXT("process")))
        return take_process(r);
    if (text_is(word, TEXT("program")))
        return take_program(r);
    if (text_is(word, TEXT("thread")))
        return take_thread(r);
    for (unsigned how = WITNESS_RUN; how <= WITNESS_AT; how++)
        if (text_is(word, text_of(how_words[how])))
            return take_step(r, how);
    return FAULT(r,
                 "'%.*s' is none of pattern, query, process, program, thread, run, event, at",
                 TEXT_ARG(word));
}

/* ---- the whole ------------------------------------------------------------------------- */

bool witness_file_is(const struct bytes *in)
{
    return in->len >= sizeof head_word - 1 &&
           memcmp(in->at, head_word, sizeof head_word - 1) == 0;
}

static int take_head(struct reader *r, struct text line)
{
    struct text version = {line.at + sizeof head_word - 1,
                           line.len - (uint32_t)(sizeof head_word - 1)};
    uint64_t number;
    if (!text_number(version, &number))
        return FAULT(r, "not a witness: the first line is 'heddle witness %d'",
                     WITNESS_VERSION);
    if (number != WITNESS_VERSION)
        return FAULT(r, "witness format %llu, this heddle reads %d", (unsigned long long)number,
                     WITNESS_VERSION);
    return 0;
}

static int take_lines(struct reader *r)
{
    while (r->at < r->end) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
        if (!stop)
            return FAULT(r, "the last line does not end");
        if (stop - r->at > 1 << 20)
            return FAULT(r, "too long a line");
        struct text line = {r->at, (uint32_t)(stop - r->at)};
        r->at = stop + 1;
        int result = 0;
        if (r->line == 1)
            result = take_head(r, line);
        else if (line.len > 0 && line.at[0] != '#')
            result = split(r, line.at, stop) < 0 ? -1 : take_line(r);
        if (result < 0)
            return -1;
        r->line++;
    }
    return 0;
}

int witness_file_parse(struct witness_file *out, const struct bytes *in, const char *name,
                       struct err *err)
{
    struct witness_file f = {0};
    struct reader *r = mem_zeroed(1, sizeof *r);
    *r = (struct reader){.f = &f,
                         .name = name,
                         .at = (const char *)in->at,
                         .end = (const char *)in->at + in->len,
                         .line = 1,
                         .err = err};
    int result = -1;
    if (!witness_file_is(in))
        err_set(err, "%s: not a witness: the first line is 'heddle witness %d'", name,
                WITNESS_VERSION);
    else if (take_lines(r) == 0)
        result = f.lines.len > 0
                     ? 0
                     : err_set(err, "%s: a witness without run, event or at lines", name);
    free(r);
    if (result < 0)
        witness_file_close(&f);
    else
        *out = f;
    return result;
}

int witness_file_open(struct witness_file *out, const char *path, struct err *err)
{
    AUTO(bytes) struct bytes in = {0};
    if (bytes_read(&in, path, err) < 0)
        return -1;
    return witness_file_parse(out, &in, path, err);
}

void witness_file_close(struct witness_file *f)
{
    vec_done(&f->program);
    vec_done(&f->threads);
    vec_done(&f->lines);
    arena_done(&f->mem);
}

/* ---- printing -------------------------------------------------------------------------- */

static void put_field(struct str *out, struct text t)
{
    bool bare = !text_is(t, TEXT("-"));
    for (uint32_t i = 0; i < t.len; i++)
        bare = bare && t.at[i] > ' ' && t.at[i] <= '~' && t.at[i] != '"' && t.at[i] != '\\';
    str_char(out, ' ');
    if (t.len == 0)
        str_char(out, '-');
    else if (bare)
        str_bytes(out, t.at, t.len);
    else
        str_quoted(out, t);
}

static void put_site(struct str *out, const struct witness_site *s)
{
    AUTO(str) struct str place = {0};
    if (s->file.len > 0 || s->line > 0 || s->column > 0) {
        str_bytes(&place, s->file.at, s->file.len);
        str_add(&place, ":%u:%u", s->line, s->column);
    }
    put_field(out, str_text(&place));
    put_field(out, s->function);
}

static void put_line(struct str *out, const struct witness_file *f,
                     const struct witness_line *l)
{
    str_add(out, "%s", how_words[l->how]);
    put_field(out, f->threads.at[l->thr].label);
    str_add(out, " %llu", (unsigned long long)l->count);
    put_site(out, &l->site);
    str_add(out, " %s", ev_text(l->kind));
    put_field(out, l->site.name);
    str_add(out, " %u", l->site.statement);
    put_field(out, l->object);
    str_char(out, '\n');
}

static void put_thread(struct str *out, const struct witness_thread *t)
{
    str_add(out, "thread");
    put_field(out, t->label);
    for (uint32_t i = 0; i < t->depth; i++)
        str_add(out, "%c%u", i ? '.' : ' ', t->path[i]);
    put_site(out, &t->site);
    str_char(out, '\n');
}

void witness_file_print(const struct witness_file *f, struct str *out)
{
    str_add(out, "%s%d\npattern", head_word, WITNESS_VERSION);
    put_field(out, f->pattern);
    str_add(out, "\nquery");
    put_field(out, f->query);
    str_char(out, '\n');
    if (f->process.len > 0)
        str_add(out, "process %.*s\n", TEXT_ARG(f->process));
    if (f->program.len > 0)
        str_add(out, "program");
    for (uint32_t i = 0; i + 1 < f->program.len; i++)
        put_field(out, text_of(f->program.at[i]));
    if (f->program.len > 0)
        str_char(out, '\n');
    for (uint32_t i = 0; i < f->threads.len; i++)
        put_thread(out, &f->threads.at[i]);
    for (uint32_t i = 0; i < f->lines.len; i++)
        put_line(out, f, &f->lines.at[i]);
}

static void add_beside(struct str *out, const char *witness, const char *ending)
{
    static const char own[] = ".witness";
    size_t len = strlen(witness), tail = sizeof own - 1;
    if (len > tail && strcmp(witness + len - tail, own) == 0)
        len -= tail;
    str_bytes(out, witness, len);
    str_add(out, "%s", ending);
}

void witness_recorded(struct str *out, const char *witness)
{
    add_beside(out, witness, ".recorded");
}

void witness_run(struct str *out, const char *witness)
{
    add_beside(out, witness, ".run");
}
