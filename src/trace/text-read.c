/* SPDX-License-Identifier: Apache-2.0
 *
 * text-read: a trace from the text notation (docs/notation.md), dumped or written by hand.
 *
 * One pass, one statement at a time. What is used before it is defined is defined on the spot,
 * with addresses and sites made up, so that a test can say just "T0 write x 1". The input may
 * be any bytes: what the binary format cannot hold is refused here, with the line it is on. */
#include "trace/notation.h"

#include <stdarg.h>

enum {
    TOKEN_MAX_BYTES = 8192,
    SHOWN_MAX_BYTES = 40, /* of a token in a message */
    SNIFF_BYTES = 4096,
    MADE_UP_BYTES = 8, /* size of an object that does not say */
    MADE_UP_ALIGN = 16,
    KIND_MAX_BYTES = 20,
};
#define MADE_UP_FIRST 0x10000ULL
#define MADE_UP_END (1ULL << 40) /* below what real programs use for heap and stacks */

struct bound {
    uint64_t addr, size, line; /* line of its definition */
    uint8_t class;
    bool is_gone;
};

struct text_reader {
    const char *at, *end; /* what is left of the input */
    const char *name;     /* borrowed: of the input, for messages */
    uint64_t line;
    struct text token;      /* the current one; empty: the statement ends here */
    struct err *err;        /* borrowed */
    struct trace_out *out;  /* owned */
    struct trace_writer *w; /* borrowed from out */
    struct arena mem;
    uint32_t flags; /* TRACE_... */
    bool is_begun, is_cut, is_labelled;
    struct names objects;
    VEC(struct bound) bound; /* by number in objects */
    struct names threads;    /* imported traces: the numbers are those of the threads */
    VEC(uint32_t) children;  /* by thread: how many it has created */
    struct names positions;
    VEC(uint32_t) position_site; /* by number in positions */
    uint32_t site_count;
    uint64_t made_up;  /* next address to give away */
    struct map labels; /* #17 before an event -> its number */
    struct map kinds;  /* hash of a kind's text -> kind */
    char shown[2 * SHOWN_MAX_BYTES];
};

static void reader_init(struct text_reader *r, const struct bytes *in, size_t len,
                        const char *name, struct err *err)
{
    const char *start = len > 0 ? (const char *)in->at : "";
    *r = (struct text_reader){.at = start,
                              .end = start + len,
                              .name = name,
                              .line = 1,
                              .err = err,
                              .flags = TRACE_VALUES | TRACE_BRANCHES,
                              .made_up = MADE_UP_FIRST};
    for (unsigned k = 1; k < EV_COUNT; k++) {
        struct text t = text_of(ev_text(k));
        *map_at(&r->kinds, hash_bytes(t.at, t.len)) = k;
    }
}

static void auto_text_reader(struct text_reader *r)
{
    trace_out_free(r->out);
    arena_done(&r->mem);
    names_done(&r->objects);
    vec_done(&r->bound);
    names_done(&r->threads);
    vec_done(&r->children);
    names_done(&r->positions);
    vec_done(&r->position_site);
    map_done(&r->labels);
    map_done(&r->kinds);
}

/* ---- messages ---------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static int fail(struct text_reader *r, const char *format,
                                                      ...)
{
    char what[sizeof r->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return err_set(r->err, "%s:%llu: %s", r->name, (unsigned long long)r->line, what);
}

/* For a message: printable, not too long, valid until the next call. */
static const char *show(struct text_reader *r, struct text t)
{
    if (t.len == 0)
        return "end of statement";
    size_t len = 0;
    bool is_long = t.len > SHOWN_MAX_BYTES;
    r->shown[len++] = '\'';
    for (uint32_t i = 0; i < (is_long ? SHOWN_MAX_BYTES : t.len); i++)
        r->shown[len++] = t.at[i] < ' ' || t.at[i] > '~' ? '?' : t.at[i];
    snprintf(r->shown + len, sizeof r->shown - len, "%s'", is_long ? "..." : "");
    return r->shown;
}

/* ---- tokens ------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* '#' and a digit is an event's number; anything else behind '#' is a remark. */
static bool at_comment(const struct text_reader *r)
{
    return *r->at == '#' && !(r->at + 1 < r->end && is_digit(r->at[1]));
}

/* From an opening quote to behind the closing one. */
static int skip_quoted(struct text_reader *r)
{
    for (r->at++; r->at < r->end && *r->at != '\n'; r->at++) {
        if (*r->at == '"') {
            r->at++;
            return 0;
        }
        if (*r->at == '\\' && r->at + 1 < r->end && r->at[1] != '\n')
            r->at++;
    }
    return fail(r, "the closing '\"' is missing");
}

static bool ends_token(char c)
{
    return c == ' ' || c == '\n' || c == ';' || c == '\t' || c == '\r';
}

/* Moves on to the statement's next token. */
static int next(struct text_reader *r)
{
    r->token = (struct text){"", 0};
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    if (r->at == r->end || *r->at == '\n' || *r->at == ';')
        return 0;
    if (at_comment(r)) {
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = newline ? newline : r->end;
        return 0;
    }
    const char *start = r->at;
    while (r->at < r->end && !ends_token(*r->at)) {
        if (*r->at != '"')
            r->at++;
        else if (skip_quoted(r) < 0)
            return -1;
    }
    if (r->at - start > TOKEN_MAX_BYTES)
        return fail(r, "a word of %zu bytes, at most %d are allowed", (size_t)(r->at - start),
                    TOKEN_MAX_BYTES);
    r->token = (struct text){start, (uint32_t)(r->at - start)};
    return 0;
}

static bool token_is(const struct text_reader *r, const char *word)
{
    return text_is(r->token, text_of(word));
}

static bool token_starts(const struct text_reader *r, char c)
{
    return r->token.len > 0 && r->token.at[0] == c;
}

static bool token_is_number(const struct text_reader *r)
{
    return r->token.len > 0 && is_digit(r->token.at[0]);
}

/* The current token is this word: behind it now. */
static int take_word(struct text_reader *r, const char *word, bool *out)
{
    *out = token_is(r, word);
    return *out ? next(r) : 0;
}

/* The current token has to be a number up to max; what it stands for is for the message. */
static int take_number(struct text_reader *r, const char *what, uint64_t max, uint64_t *out)
{
    uint64_t value;
    if (!text_number(r->token, &value))
        return fail(r, "%s is not a number, expected %s", show(r, r->token), what);
    if (value > max)
        return fail(r, "%s is too large for %s, at most %llu", show(r, r->token), what,
                    (unsigned long long)max);
    *out = value;
    return next(r);
}

/* `word` and a number, or nothing. */
static int take_part(struct text_reader *r, const char *word, uint64_t max, uint64_t *out)
{
    bool found;
    if (take_word(r, word, &found) < 0)
        return -1;
    return found ? take_number(r, word, max, out) : 0;
}

static int take_part32(struct text_reader *r, const char *word, uint32_t *out)
{
    uint64_t value = *out;
    if (take_part(r, word, UINT32_MAX, &value) < 0)
        return -1;
    *out = (uint32_t)value;
    return 0;
}

static int hex_digit(char c)
{
    char lower = (char)(c | 0x20);
    return is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The character that a backslash at s, with len bytes behind it, stands for. How many bytes
 * it takes; 0 if it has no meaning. */
static uint32_t unescape(const char *s, uint32_t len, char *out)
{
    if (len >= 2 && (s[1] == '"' || s[1] == '\\' || s[1] == 'n')) {
        *out = s[1] == 'n' ? '\n' : s[1];
        return 2;
    }
    if (len < 4 || s[1] != 'x' || hex_digit(s[2]) < 0 || hex_digit(s[3]) < 0)
        return 0;
    *out = (char)(hex_digit(s[2]) << 4 | hex_digit(s[3]));
    return 4;
}

static int take_quoted(struct text_reader *r, struct text *rest, struct text *out)
{
    char *made = arena_get(&r->mem, rest->len);
    uint32_t len = 0, i = 1;
    while (rest->at[i] != '"') {
        uint32_t used = 1;
        made[len] = rest->at[i];
        if (rest->at[i] == '\\')
            used = unescape(rest->at + i, rest->len - i, &made[len]);
        if (used == 0)
            return fail(r, "unknown escape in %s, expected \\\" \\\\ \\n or \\xNN",
                        show(r, *rest));
        i += used;
        len++;
    }
    *out = (struct text){made, len};
    *rest = (struct text){rest->at + i + 1, rest->len - i - 1};
    return 0;
}

/* Takes a name, quoted or bare, off the front of rest, which is a part of a token. */
static int take_name(struct text_reader *r, struct text *rest, struct text *out)
{
    if (rest->len > 0 && rest->at[0] == '"')
        return take_quoted(r, rest, out);
    uint32_t len = name_span(*rest);
    if (len == 0)
        return fail(r, "%s is not a name; other characters stand in double quotes",
                    show(r, *rest));
    *out = (struct text){rest->at, len};
    *rest = (struct text){rest->at + len, rest->len - len};
    return 0;
}

/* The whole token is a name. */
static int take_whole_name(struct text_reader *r, const char *what, struct text *out)
{
    struct text rest = r->token;
    if (rest.len == 0)
        return fail(r, "%s is missing", what);
    if (take_name(r, &rest, out) < 0)
        return -1;
    if (rest.len > 0)
        return fail(r, "%s does not belong to %s; put the name in double quotes", show(r, rest),
                    what);
    return next(r);
}

/* A text that goes into the trace. */
static int check_text(struct text_reader *r, struct text t, struct def_text *out)
{
    if (t.len > TEXT_MAX_BYTES)
        return fail(r, "a text of %u bytes, at most %d are allowed", t.len, TEXT_MAX_BYTES);
    *out = (struct def_text){t.at, t.len};
    return 0;
}

static int take_text(struct text_reader *r, const char *what, struct def_text *out)
{
    struct text t;
    return take_whole_name(r, what, &t) < 0 ? -1 : check_text(r, t, out);
}

/* A character and a number off the front of rest, or nothing. */
static int take_suffix(struct text_reader *r, struct text *rest, char mark, uint64_t *out,
                       bool *found)
{
    *found = rest->len > 0 && rest->at[0] == mark;
    if (!*found)
        return 0;
    uint32_t len = 1;
    while (len < rest->len && (hex_digit(rest->at[len]) >= 0 || rest->at[len] == 'x'))
        len++;
    if (!text_number((struct text){rest->at + 1, len - 1}, out))
        return fail(r, "expected a number behind '%c' in %s", mark, show(r, r->token));
    *rest = (struct text){rest->at + len, rest->len - len};
    return 0;
}

/* ---- threads ----------------------------------------------------------------------------- */

static int define_thread(struct text_reader *r, const struct def_thread *d)
{
    if (r->children.len == THREADS_MAX)
        return fail(r, "more than %d threads", THREADS_MAX);
    trace_put_thread_def(r->w, d);
    vec_push(&r->children, 0);
    return 0;
}

/* A thread that is mentioned before it was defined. */
static int define_thread_by_use(struct text_reader *r, uint32_t parent, struct text name)
{
    struct def_thread d = {.parent = parent, .name = {"", 0}};
    if (check_text(r, name, &d.name) < 0)
        return -1;
    if (parent != NO_ID)
        d.spawn = r->children.at[parent]++;
    return define_thread(r, &d);
}

/* T17 -> 17 */
static bool thread_number(struct text t, uint64_t *out)
{
    struct text digits = {t.at + 1, t.len - 1};
    return t.len > 1 && t.at[0] == 'T' && is_digit(t.at[1]) && (t.at[1] != '0' || t.len == 2) &&
           text_number(digits, out);
}

static bool token_is_thread(const struct text_reader *r)
{
    uint64_t number;
    return thread_number(r->token, &number);
}

/* The current token is a thread; NONE if it is not defined. */
static int find_thread(struct text_reader *r, struct text *name, uint32_t *out)
{
    uint64_t number = 0;
    struct text token = r->token;
    if (!(r->flags & TRACE_IMPORTED) && !token_is_thread(r))
        return fail(r, "%s is not a thread, expected T and a number", show(r, token));
    if (take_whole_name(r, "a thread", name) < 0)
        return -1;
    if (r->flags & TRACE_IMPORTED) {
        *out = names_find(&r->threads, *name);
        return 0;
    }
    thread_number(token, &number);
    if (number >= THREADS_MAX)
        return fail(r, "%s: more than %d threads", show(r, token), THREADS_MAX);
    *out = number < r->children.len ? (uint32_t)number : NONE;
    return 0;
}

/* The current token is a thread, which is defined now if it was not; parent is who creates
 * it, or NO_ID. */
static int take_thread(struct text_reader *r, uint32_t parent, uint32_t *out)
{
    struct text token = r->token, name;
    uint32_t thr;
    if (find_thread(r, &name, &thr) < 0)
        return -1;
    uint64_t number = r->children.len;
    if (thr == NONE && r->flags & TRACE_IMPORTED) {
        names_add(&r->threads, name);
        if (define_thread_by_use(r, parent, name) < 0)
            return -1;
    } else if (thr == NONE) {
        thread_number(token, &number);
        while (r->children.len <= number) {
            bool is_last = r->children.len == number;
            if (define_thread_by_use(r, is_last ? parent : NO_ID, (struct text){"", 0}) < 0)
                return -1;
        }
    }
    *out = thr == NONE ? (uint32_t)number : thr;
    return 0;
}

/* thread T1 [parent T0] [spawn 0] ["worker"] */
static int read_thread_definition(struct text_reader *r)
{
    bool imported = r->flags & TRACE_IMPORTED, has_parent;
    struct text token = r->token, name, parent_name;
    struct def_thread d = {.parent = NO_ID, .name = {"", 0}};
    uint32_t thr;
    uint64_t number = 0;
    if (find_thread(r, &name, &thr) < 0)
        return -1;
    if (thr != NONE)
        return fail(r, "thread %s is already defined", show(r, token));
    if (!imported && thread_number(token, &number) && number != r->children.len)
        return fail(r, "thread %s, expected T%u: threads are defined in order", show(r, token),
                    r->children.len);
    if (take_word(r, "parent", &has_parent) < 0)
        return -1;
    if (has_parent) {
        token = r->token;
        if (find_thread(r, &parent_name, &d.parent) < 0)
            return -1;
        if (d.parent == NONE)
            return fail(r, "parent %s is not defined yet", show(r, token));
        d.spawn = r->children.at[d.parent]++;
    }
    if (take_part32(r, "spawn", &d.spawn) < 0)
        return -1;
    if (r->token.len > 0 ? take_text(r, "a thread's name", &d.name) < 0
                         : imported && check_text(r, name, &d.name) < 0)
        return -1;
    if (imported)
        names_add(&r->threads, name);
    return define_thread(r, &d);
}

/* ---- sites ------------------------------------------------------------------------------- */

/* "-", or FILE:LINE:COLUMN with parts left out at either end. */
static int take_position(struct text_reader *r, struct text rest, struct def_site *s)
{
    struct text file = {"", 0};
    uint64_t line = 0, column = 0;
    bool found;
    if (text_is(rest, TEXT("-")))
        rest.len = 0;
    else if (rest.len == 0 || rest.at[0] != ':' || name_span(rest) > 0) {
        if (take_name(r, &rest, &file) < 0)
            return -1;
    }
    if (take_suffix(r, &rest, ':', &line, &found) < 0 ||
        take_suffix(r, &rest, ':', &column, &found) < 0 || check_text(r, file, &s->file) < 0)
        return -1;
    if (rest.len > 0 || line > UINT32_MAX || column > UINT32_MAX)
        return fail(r, "%s is not a position, expected FILE:LINE or FILE:LINE:COLUMN",
                    show(r, r->token));
    s->line = (uint32_t)line;
    s->column = (uint32_t)column;
    return next(r);
}

/* The slot for the site at this position; NONE if there is none yet. */
static uint32_t *site_at(struct text_reader *r, const struct def_site *s)
{
    char key[TEXT_MAX_BYTES + 8];
    memcpy(key, s->file.at, s->file.len);
    memcpy(key + s->file.len, &s->line, 4);
    memcpy(key + s->file.len + 4, &s->column, 4);
    uint32_t len = s->file.len + 8, id = names_find(&r->positions, (struct text){key, len});
    if (id == NONE) {
        id = names_add(&r->positions, (struct text){arena_text(&r->mem, key, len), len});
        vec_push(&r->position_site, NONE);
    }
    return &r->position_site.at[id];
}

static int define_site(struct text_reader *r, const struct def_site *s, const uint32_t *depends)
{
    uint32_t *at = site_at(r, s);
    if (r->site_count == NO_ID - 1)
        return fail(r, "more than %u sites", r->site_count);
    if (*at == NONE)
        *at = r->site_count;
    trace_put_site(r->w, s, depends);
    r->site_count++;
    return 0;
}

/* The site at a position, which is defined now if it was not. */
static int find_site(struct text_reader *r, const struct def_site *s, uint32_t *out)
{
    *out = *site_at(r, s);
    if (*out != NONE)
        return 0;
    *out = r->site_count;
    return define_site(r, s, NULL);
}

static struct def_site empty_site(void)
{
    return (struct def_site){.file = {"", 0}, .function = {"", 0}, .name = {"", 0}};
}

/* @3, @FILE:LINE, or nothing: then the line of the text is the site. */
static int take_site(struct text_reader *r, uint32_t *out)
{
    struct def_site s = empty_site();
    if (!token_starts(r, '@')) {
        s.line = (uint32_t)r->line;
        return find_site(r, &s, out);
    }
    struct text rest = {r->token.at + 1, r->token.len - 1};
    if (memchr(rest.at, ':', rest.len))
        return take_position(r, rest, &s) < 0 ? -1 : find_site(r, &s, out);
    uint64_t number;
    if (!text_number(rest, &number))
        return fail(r, "%s is not a site, expected @NUMBER or @FILE:LINE", show(r, r->token));
    if (number >= r->site_count)
        return fail(r, "site %s is not defined", show(r, r->token));
    *out = (uint32_t)number;
    return next(r);
}

static int take_depends(struct text_reader *r, uint32_t *depends, uint32_t *count)
{
    while (r->token.len > 0) {
        uint64_t ordinal = 0;
        if (*count == DEPENDS_MAX)
            return fail(r, "more than %d sites behind 'from'", DEPENDS_MAX);
        if (take_number(r, "the ordinal of a site", UINT32_MAX, &ordinal) < 0)
            return -1;
        depends[(*count)++] = (uint32_t)ordinal;
    }
    return 0;
}

/* site 3 bank.c:14:5 [in deposit] [of balance] [volatile] [stmt 2] [unit 0] [ordinal 7]
 * [from 1 2 6] */
static int read_site_definition(struct text_reader *r)
{
    struct def_site s = empty_site();
    uint32_t depends[DEPENDS_MAX];
    uint64_t number = 0;
    bool found;
    if (take_number(r, "the site's number", UINT32_MAX, &number) < 0)
        return -1;
    if (number != r->site_count)
        return fail(r, "site %llu, expected %u: sites are defined in order",
                    (unsigned long long)number, r->site_count);
    if (take_position(r, r->token, &s) < 0 || take_word(r, "in", &found) < 0 ||
        (found && take_text(r, "a function", &s.function) < 0) ||
        take_word(r, "of", &found) < 0 || (found && take_text(r, "a name", &s.name) < 0) ||
        take_word(r, "volatile", &s.is_volatile) < 0 ||
        take_part32(r, "stmt", &s.statement) < 0 || take_part32(r, "unit", &s.unit) < 0 ||
        take_part32(r, "ordinal", &s.ordinal) < 0 || take_word(r, "from", &found) < 0 ||
        (found && take_depends(r, depends, &s.depends_count) < 0))
        return -1;
    if (r->token.len > 0)
        return fail(r,
                    "unexpected %s, expected: site NUMBER POSITION [in FUNCTION] [of NAME] "
                    "[volatile] [stmt N] [unit N] [ordinal N] [from N ...]",
                    show(r, r->token));
    return define_site(r, &s, depends);
}

/* ---- objects ----------------------------------------------------------------------------- */

/* An address as it was written. */
struct place {
    struct text text; /* for messages */
    struct text name; /* empty: addr stands for itself */
    uint64_t addr, offset, size;
    bool is_named, has_addr, has_offset, has_size;
};

/* NAME, 0xADDR or nothing; then =0xADDR, +OFFSET, :SIZE, each of them or not. */
static int take_place(struct text_reader *r, struct place *p)
{
    struct text rest = r->token;
    *p = (struct place){.text = r->token};
    if (token_is_number(r)) {
        const char *colon = memchr(rest.at, ':', rest.len);
        struct text digits = {rest.at, colon ? (uint32_t)(colon - rest.at) : rest.len};
        if (!text_number(digits, &p->addr))
            return fail(r,
                        "%s is not an address; a name with a digit in front stands in "
                        "double quotes",
                        show(r, rest));
        p->has_addr = true;
        rest = (struct text){rest.at + digits.len, rest.len - digits.len};
    } else if (!token_starts(r, ':')) {
        p->is_named = true;
        if (take_name(r, &rest, &p->name) < 0 ||
            take_suffix(r, &rest, '=', &p->addr, &p->has_addr) < 0 ||
            take_suffix(r, &rest, '+', &p->offset, &p->has_offset) < 0)
            return -1;
    }
    if (take_suffix(r, &rest, ':', &p->size, &p->has_size) < 0)
        return -1;
    if (rest.len > 0)
        return fail(r, "%s is not an address, expected NAME+OFFSET:SIZE or 0xADDRESS:SIZE",
                    show(r, r->token));
    return next(r);
}

/* Addresses made up later stay clear of this one. */
static void avoid(struct text_reader *r, uint64_t addr, uint64_t size)
{
    uint64_t end = size < MADE_UP_END ? addr + size : MADE_UP_END;
    if (addr < MADE_UP_END && end > r->made_up)
        r->made_up = (end + MADE_UP_ALIGN - 1) & ~(uint64_t)(MADE_UP_ALIGN - 1);
}

static int make_up_address(struct text_reader *r, struct text what, uint64_t size,
                           uint64_t *out)
{
    if (size > MADE_UP_END || r->made_up > MADE_UP_END - size)
        return fail(r, "no address is left for %s, give it one", show(r, what));
    *out = r->made_up;
    avoid(r, *out, size ? size : 1);
    return 0;
}

static int check_range(struct text_reader *r, struct text what, uint64_t addr, uint64_t size)
{
    if (size > UINT64_MAX - addr)
        return fail(r, "%s does not fit into memory", show(r, what));
    return 0;
}

/* The name belongs to this object from now on. */
static int bind(struct text_reader *r, struct text name, struct bound b)
{
    uint32_t id = names_find(&r->objects, name);
    if (id != NONE && !r->bound.at[id].is_gone)
        return fail(r, "%s is already defined, on line %llu", show(r, name),
                    (unsigned long long)r->bound.at[id].line);
    b.line = r->line;
    if (id == NONE) {
        names_add(&r->objects, name);
        vec_push(&r->bound, b);
    } else {
        r->bound.at[id] = b;
    }
    return 0;
}

static int take_class(struct text_reader *r, uint8_t *out)
{
    uint32_t class = word_of(CLASS_FIRST, r->token);
    if (class == NONE)
        return fail(r, "%s is not a class of object, expected memory, mutex, cond, ...",
                    show(r, r->token));
    *out = (uint8_t)class;
    return next(r);
}

/* object NAME CLASS [0xADDR][:SIZE] ["true name"]; NAME "-": it is not called anything here */
static int read_object_definition(struct text_reader *r)
{
    struct text name = {"", 0}, token = r->token;
    struct place p = {0};
    struct def_object d = {.size = MADE_UP_BYTES};
    bool is_nameless;
    if (take_word(r, "-", &is_nameless) < 0 ||
        (!is_nameless && take_whole_name(r, "an object's name", &name) < 0) ||
        take_class(r, &d.class) < 0)
        return -1;
    if ((token_is_number(r) || token_starts(r, ':')) && take_place(r, &p) < 0)
        return -1;
    if (p.has_size)
        d.size = p.size;
    d.addr = p.addr;
    if (!p.has_addr && make_up_address(r, token, d.size, &d.addr) < 0)
        return -1;
    if (check_range(r, token, d.addr, d.size) < 0)
        return -1;
    avoid(r, d.addr, d.size);
    if (r->token.len > 0 ? take_text(r, "an object's true name", &d.name) < 0
                         : check_text(r, name, &d.name) < 0)
        return -1;
    if (r->token.len > 0)
        return fail(r,
                    "unexpected %s, expected: object NAME CLASS [0xADDRESS][:SIZE] "
                    "[\"TRUE NAME\"]",
                    show(r, r->token));
    trace_put_object(r->w, &d);
    struct bound b = {.addr = d.addr, .size = d.size, .class = d.class};
    return is_nameless ? 0 : bind(r, name, b);
}

/* ---- events: their fields ---------------------------------------------------------------- */

/* An event as far as it has been read. */
struct draft {
    struct ev e;
    struct place place;
    bool has_place, has_class;
};

static const char *field_usage(const struct draft *d, const char *f)
{
    bool optional = address_is_optional(d->e.kind);
    switch (*f) {
    case 'A':
        if (f[1] == 'Z')
            return " ADDRESS[:SIZE]";
        if (ev_begins_block(d->e.kind))
            return " NAME[=0xADDRESS][:LENGTH]";
        if (f[1] == 'L')
            return optional ? " [ADDRESS[:LENGTH]]" : " ADDRESS[:LENGTH]";
        return optional ? " [ADDRESS]" : " ADDRESS";
    case 'V':
        return " [VALUE]";
    case 'W':
        return ev_is_scalar(d->e.kind) ? " [-> VALUE]" : " [at POSITION]";
    case 'M':
        return " [ORDER]";
    case 'F':
        return " [FLAG ...]";
    case 'T':
        return " THREAD";
    case 'K':
        return " [by #EVENT]";
    case 'B':
        return " [REASON]";
    case 'C':
        return " [CLASS]";
    case 'R':
        return " MARK";
    case 'S':
        return " [\"TEXT\"]";
    case 'L':
        return " [len BYTES]";
    default:
        return " [NUMBER]";
    }
}

/* The current token has no place in this kind of event. */
static int fail_usage(struct text_reader *r, const struct draft *d)
{
    AUTO(str) struct str usage = {0};
    for (const char *f = ev_fields(d->e.kind); *f; f++) {
        if (*f == 'N' && number_word(d->e.kind))
            str_add(&usage, " [%s NUMBER]", number_word(d->e.kind));
        else
            str_add(&usage, "%s", field_usage(d, f));
        f += *f == 'A' && (f[1] == 'Z' || f[1] == 'L');
    }
    return fail(r, "unexpected %s, expected: %s%s [@SITE]", show(r, r->token),
                ev_text(d->e.kind), usage.at ? usage.at : "");
}

static int take_address(struct text_reader *r, struct draft *d)
{
    if (r->token.len == 0 || token_starts(r, '@'))
        return address_is_optional(d->e.kind) ? 0 : fail_usage(r, d);
    d->has_place = true;
    return take_place(r, &d->place);
}

static int take_flags(struct text_reader *r, uint8_t *out)
{
    uint32_t flag;
    while ((flag = word_of(FLAG_FIRST, r->token)) != NONE) {
        *out |= (uint8_t)(1u << flag);
        if (next(r) < 0)
            return -1;
    }
    return 0;
}

/* A word of the list, or nothing. */
static int take_list_word(struct text_reader *r, unsigned list, uint8_t *out, bool *found)
{
    uint32_t word = word_of(list, r->token);
    *found = word != NONE;
    if (!*found)
        return 0;
    *out = (uint8_t)word;
    return next(r);
}

static int take_value(struct text_reader *r, uint64_t *out)
{
    return token_is_number(r) ? take_number(r, "a value", UINT64_MAX, out) : 0;
}

static int take_event_number(struct text_reader *r, struct ev *e)
{
    const char *word = number_word(e->kind);
    e->number = number_default(e->kind);
    return word ? take_part(r, word, UINT64_MAX, &e->number) : take_value(r, &e->number);
}

static int take_mark(struct text_reader *r, struct draft *d)
{
    bool found;
    if (take_list_word(r, MARK_FIRST, &d->e.word, &found) < 0)
        return -1;
    return found ? 0 : fail_usage(r, d);
}

/* by #17: with labels an event that has none was left out of this text. */
static int take_reference(struct text_reader *r, struct ev *e)
{
    bool found;
    uint64_t number;
    if (take_word(r, "by", &found) < 0)
        return -1;
    if (!found)
        return 0;
    struct text digits = {r->token.at + 1, r->token.len - 1};
    if (!token_starts(r, '#') || !text_number(digits, &number))
        return fail(r, "%s is not an event, expected # and its number", show(r, r->token));
    if (r->is_labelled) {
        uint32_t labelled = map_find(&r->labels, number);
        e->ref = labelled == NONE ? NO_EVENT : labelled;
    } else if (number >= r->w->event_count) {
        return fail(r, "event %s comes after this one, which is #%llu", show(r, r->token),
                    (unsigned long long)r->w->event_count);
    } else {
        e->ref = number;
    }
    return next(r);
}

static int take_assertion(struct text_reader *r, struct ev *e)
{
    struct def_text t = {"", 0};
    if (r->token.len > 0 && !token_starts(r, '@') && take_text(r, "a text", &t) < 0)
        return -1;
    e->text = t.at;
    e->text_len = t.len;
    return 0;
}

static int take_field(struct text_reader *r, struct draft *d, char field)
{
    struct ev *e = &d->e;
    bool found;
    switch (field) {
    case 'A':
        return take_address(r, d);
    case 'V':
        return take_value(r, &e->value);
    case 'W':
        e->value2 = e->value;
        return take_part(r, second_word(e->kind), UINT64_MAX, &e->value2);
    case 'L':
        return take_part(r, "len", UINT64_MAX, &e->len);
    case 'M':
        e->order = WORD_VALUE(ORDER, SEQ_CST);
        return take_list_word(r, ORDER_FIRST, &e->order, &found);
    case 'F':
        return take_flags(r, &e->flags);
    case 'N':
        return take_event_number(r, e);
    case 'T':
        return take_thread(r, e->kind == EV_CREATE ? e->thr : NO_ID, &e->peer);
    case 'K':
        return take_reference(r, e);
    case 'B':
        return take_list_word(r, BRANCH_FIRST, &e->word, &found);
    case 'C':
        return take_list_word(r, CLASS_FIRST, &e->word, &d->has_class);
    case 'R':
        return take_mark(r, d);
    default:
        return take_assertion(r, e);
    }
}

/* ---- events: their addresses ------------------------------------------------------------- */

/* What an object must be if an event does this to it. */
static uint8_t class_by_use(const struct draft *d)
{
    bool is_shared = strchr(ev_fields(d->e.kind), 'F') && d->e.flags & FLAG(SHARED);
    enum acts_on on = ev_acts_on(d->e.kind);
    if (on == ON_SYNC && d->has_class)
        return d->e.word;
    if (is_shared && (on == ON_SYNC || on == ON_LOCK))
        return WORD_VALUE(CLASS, RWLOCK);
    return class_of_use(on);
}

/* A name that nothing has yet: room for what the event does at its offset. */
static int define_object_by_use(struct text_reader *r, const struct draft *d)
{
    const struct place *p = &d->place;
    uint64_t size = p->has_size ? p->size : MADE_UP_BYTES;
    struct def_object o = {.class = class_by_use(d)};
    if (size > MADE_UP_END || p->offset > MADE_UP_END - size)
        return fail(r, "%s is too large for an object without an address", show(r, p->text));
    o.size = (p->offset + size + MADE_UP_BYTES - 1) & ~(uint64_t)(MADE_UP_BYTES - 1);
    if (o.size == 0)
        o.size = MADE_UP_BYTES;
    if (check_text(r, p->name, &o.name) < 0 || make_up_address(r, p->text, o.size, &o.addr) < 0)
        return -1;
    trace_put_object(r->w, &o);
    return bind(r, p->name, (struct bound){.addr = o.addr, .size = o.size, .class = o.class});
}

/* alloc p=0x5000:64, alloc p:64, alloc 0x5000:64 */
static int begin_block(struct text_reader *r, struct draft *d)
{
    const struct place *p = &d->place;
    struct ev *e = &d->e;
    if (p->has_offset || (!p->has_addr && !p->is_named))
        return fail(r, "%s is not a block, expected NAME=0xADDRESS:LENGTH or NAME:LENGTH",
                    show(r, p->text));
    e->len = p->has_size ? p->size : MADE_UP_BYTES;
    e->addr = p->addr;
    if (!p->has_addr && make_up_address(r, p->text, e->len, &e->addr) < 0)
        return -1;
    if (check_range(r, p->text, e->addr, e->len) < 0)
        return -1;
    avoid(r, e->addr, e->len);
    if (!p->is_named)
        return 0;
    uint8_t class = e->kind == EV_ALLOC ? WORD_VALUE(CLASS, HEAP) : WORD_VALUE(CLASS, STACK);
    return bind(r, p->name, (struct bound){.addr = e->addr, .size = e->len, .class = class});
}

/* What the name is bound to, at a place that may be past its end. */
static int resolve_name(struct text_reader *r, const struct draft *d, struct bound **out)
{
    const struct place *p = &d->place;
    uint32_t id = names_find(&r->objects, p->name);
    if (p->has_addr)
        return fail(r, "%s: only 'alloc' and 'stack-enter' say where a name is",
                    show(r, p->text));
    if (id == NONE && ev_acts_on(d->e.kind) == ON_BLOCK)
        return fail(r, "%s: there is no block of this name", show(r, p->text));
    if (id == NONE) {
        if (define_object_by_use(r, d) < 0)
            return -1;
        id = r->bound.len - 1;
    }
    *out = &r->bound.at[id];
    return check_range(r, p->text, (*out)->addr, p->offset);
}

/* Size of a scalar or length of a range, as written or as the object suggests. */
static int resolve_extent(struct text_reader *r, struct draft *d, const struct bound *b)
{
    const struct place *p = &d->place;
    struct ev *e = &d->e;
    const char *after = strchr(ev_fields(e->kind), 'A') + 1;
    uint64_t left = b && b->size > p->offset ? b->size - p->offset : MADE_UP_BYTES;
    if (*after == 'L') {
        e->len = p->has_size ? p->size : left;
        return check_range(r, p->text, e->addr, e->len);
    }
    if (*after != 'Z')
        return p->has_size ? fail(r, "%s: '%s' has no size", show(r, p->text), ev_text(e->kind))
                           : 0;
    if (p->has_size && (p->size == 0 || p->size > UINT8_MAX))
        return fail(r, "%s: the size must be from 1 to 255", show(r, p->text));
    if (p->has_size)
        e->size = (uint8_t)p->size;
    else
        e->size = b && p->offset == 0 ? size_default(b->size) : MADE_UP_BYTES;
    return check_range(r, p->text, e->addr, e->size);
}

static int resolve_place(struct text_reader *r, struct draft *d)
{
    const struct place *p = &d->place;
    struct ev *e = &d->e;
    struct bound *b = NULL;
    if (ev_begins_block(e->kind))
        return begin_block(r, d);
    if (!p->is_named && !p->has_addr)
        return fail(r, "%s is not an address, expected a name or 0x...", show(r, p->text));
    if (p->is_named && resolve_name(r, d, &b) < 0)
        return -1;
    e->addr = b ? b->addr + p->offset : p->addr;
    if (b && ev_acts_on(e->kind) == ON_BLOCK && p->offset == 0)
        b->is_gone = true;
    if ((e->kind == EV_INIT || e->kind == EV_DESTROY) && !d->has_class)
        e->word = b && b->class >= WORD_VALUE(CLASS, MUTEX) ? b->class : class_by_use(d);
    return resolve_extent(r, d, b);
}

/* ---- events ------------------------------------------------------------------------------ */

static int fail_kind(struct text_reader *r)
{
    const char *kinds[EV_COUNT] = {0};
    char word[KIND_MAX_BYTES + 1];
    if (r->token.len == 0)
        return fail(r, "an event is missing behind the thread, expected read, write, ...");
    for (unsigned k = 1; k < EV_COUNT; k++)
        kinds[k - 1] = ev_text(k);
    snprintf(word, sizeof word, "%.*s", TEXT_ARG(r->token));
    const char *nearest = r->token.len > KIND_MAX_BYTES ? NULL : word_nearest(word, kinds);
    if (!nearest)
        return fail(r, "unknown event %s, expected read, write, acquire, ...",
                    show(r, r->token));
    return fail(r, "unknown event %s, did you mean '%s'?", show(r, r->token), nearest);
}

static unsigned kind_of(const struct text_reader *r, struct text t)
{
    uint32_t kind = map_find(&r->kinds, hash_bytes(t.at, t.len));
    return kind != NONE && text_is(t, text_of(ev_text(kind))) ? kind : EV_NONE;
}

/* #17 in front of an event: what references call it in this text. */
static int take_label(struct text_reader *r)
{
    uint64_t number;
    struct text digits = {r->token.at + 1, r->token.len - 1};
    if (!text_number(digits, &number))
        return fail(r, "%s is not an event's number", show(r, r->token));
    uint32_t *at = map_at(&r->labels, number);
    if (*at != NONE)
        return fail(r, "a second event %s", show(r, r->token));
    if (r->w->event_count >= NONE)
        return fail(r, "too many events have numbers, at most %u", NONE);
    *at = (uint32_t)r->w->event_count;
    r->is_labelled = true;
    return next(r);
}

/* T0 KIND ARGUMENTS [@SITE] */
static int read_event(struct text_reader *r)
{
    struct draft d = {.e = {.ref = NO_EVENT}};
    if (token_starts(r, '#') && take_label(r) < 0)
        return -1;
    if (!(r->flags & TRACE_IMPORTED) && !token_is_thread(r))
        return fail(r,
                    "%s begins no statement, expected T and a number, thread, site, object "
                    "or cut",
                    show(r, r->token));
    if (take_thread(r, NO_ID, &d.e.thr) < 0)
        return -1;
    d.e.kind = (uint8_t)kind_of(r, r->token);
    if (d.e.kind == EV_NONE)
        return fail_kind(r);
    if (next(r) < 0)
        return -1;
    for (const char *f = ev_fields(d.e.kind); *f; f++) {
        if (take_field(r, &d, *f) < 0)
            return -1;
        f += *f == 'A' && (f[1] == 'Z' || f[1] == 'L');
    }
    if (r->token.len > 0 && !token_starts(r, '@'))
        return fail_usage(r, &d);
    if (d.has_place && resolve_place(r, &d) < 0)
        return -1;
    if (take_site(r, &d.e.site) < 0)
        return -1;
    if (r->token.len > 0)
        return fail_usage(r, &d);
    trace_put_event(r->w, &d.e);
    return 0;
}

/* ---- statements -------------------------------------------------------------------------- */

static int take_head_flag(struct text_reader *r)
{
    for (unsigned i = 0; i < NOTATION_FLAG_COUNT; i++)
        if (token_is(r, notation_flags[i].word)) {
            r->flags |= notation_flags[i].flag;
            return next(r);
        }
    return fail(r, "unknown flag %s, expected branches, values, hashed, imported or freed",
                show(r, r->token));
}

/* heddle trace 1 [branches] [values] ... */
static int read_header(struct text_reader *r)
{
    uint64_t version = 0;
    bool found;
    if (r->is_begun)
        return fail(r, "'heddle trace' has to be the first statement");
    if (take_word(r, "trace", &found) < 0)
        return -1;
    if (!found)
        return fail(r, "unexpected %s behind 'heddle', expected 'trace'", show(r, r->token));
    if (take_number(r, "the version of the notation", UINT32_MAX, &version) < 0)
        return -1;
    if (version != NOTATION_VERSION)
        return fail(r, "version %llu of the notation, this heddle reads %d",
                    (unsigned long long)version, NOTATION_VERSION);
    r->flags = 0;
    while (r->token.len > 0)
        if (take_head_flag(r) < 0)
            return -1;
    return 0;
}

static int read_cut(struct text_reader *r)
{
    r->is_cut = true;
    return r->token.len > 0 ? fail(r, "unexpected %s behind 'cut'", show(r, r->token)) : 0;
}

static int read_statement(struct text_reader *r)
{
    static const struct {
        const char *word;
        int (*read)(struct text_reader *r);
    } definitions[] = {
        {"heddle", read_header},
        {"thread", read_thread_definition},
        {"site", read_site_definition},
        {"object", read_object_definition},
        {"cut", read_cut},
    };
    if (r->is_cut)
        return fail(r, "unexpected %s behind 'cut', which ends the trace", show(r, r->token));
    for (unsigned i = 0; i < sizeof definitions / sizeof definitions[0]; i++)
        if (token_is(r, definitions[i].word))
            return next(r) < 0 ? -1 : definitions[i].read(r);
    return read_event(r);
}

static int read_statements(struct text_reader *r)
{
    while (r->at < r->end) {
        if (next(r) < 0)
            return -1;
        if (r->token.len > 0) {
            if (read_statement(r) < 0)
                return -1;
            r->is_begun = true;
            if (r->token.len > 0)
                return fail(r, "unexpected %s, expected the end of the statement",
                            show(r, r->token));
        }
        if (r->at < r->end)
            r->line += *r->at++ == '\n';
    }
    return 0;
}

/* The writer of the original did not come to its end, so this trace is not closed either. */
static void reopen(struct bytes *b)
{
    struct trace_head head;
    memcpy(&head, b->at, sizeof head);
    head.flags &= ~(uint32_t)TRACE_CLOSED;
    memcpy((void *)(uintptr_t)b->at, &head, sizeof head);
}

int text_read(const struct bytes *in, const char *name, struct bytes *out, struct err *err)
{
    AUTO(text_reader) struct text_reader r;
    reader_init(&r, in, in->len, name, err);
    r.out = trace_out_new(0);
    r.w = trace_out_writer(r.out);
    if (read_statements(&r) < 0)
        return -1;
    if (trace_out_bytes(r.out, r.flags, out, err) < 0)
        return err_in(err, "%s", name);
    if (r.is_cut)
        reopen(out);
    return 0;
}

/* The first statement is a good one as far as we look: a definition, or "T0 read". */
static bool is_good_statement(struct text_reader *r)
{
    struct text first = r->token;
    uint64_t number;
    if (next(r) < 0)
        return false;
    if (text_is(first, TEXT("heddle")))
        return token_is(r, "trace");
    if (text_is(first, TEXT("thread")))
        return token_is_thread(r);
    if (text_is(first, TEXT("site")))
        return text_number(r->token, &number);
    if (text_is(first, TEXT("object")))
        return next(r) == 0 && word_of(CLASS_FIRST, r->token) != NONE;
    if (first.at[0] == '#') {
        first = r->token;
        if (next(r) < 0)
            return false;
    }
    return thread_number(first, &number) && kind_of(r, r->token) != EV_NONE;
}

/* What only begins as a statement must has a mistake that the reader explains; unless it is a
 * line of STD, where a thread may be called "T0 again". */
static bool is_first_statement(struct text_reader *r, const struct bytes *in)
{
    bool begins = token_is_thread(r) || is_statement_word(r->token);
    return is_good_statement(r) || (begins && !std_is(in));
}

bool text_is_trace(const struct bytes *in)
{
    struct err err;
    AUTO(text_reader) struct text_reader r;
    reader_init(&r, in, in->len < SNIFF_BYTES ? in->len : SNIFF_BYTES, "", &err);
    while (r.at < r.end) {
        if (next(&r) < 0)
            return false;
        if (r.token.len > 0)
            return is_first_statement(&r, in);
        if (r.at < r.end)
            r.at++;
    }
    return false;
}
