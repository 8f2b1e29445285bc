/* SPDX-License-Identifier: Apache-2.0
 *
 * format: what formatted printing reads and scanning stores, conversion by conversion. The
 * arguments are those of the call, or a list that somebody else was called with. */
#include "rt/libc.h"

#include <stdarg.h>
#include <string.h>
#include <wchar.h>

enum { NO_PRECISION = -1 };

/* The arguments behind the format. */
struct given {
    const struct libc_call *call;
    uint32_t first, next; /* of the call's */
    bool is_list;
    va_list list;
};

/* One conversion. */
struct conversion {
    char type;   /* 0: the format is at its end */
    char length; /* h H (hh) l L (also ll, q), j z t; 0: none */
    bool is_quiet, allocates;
    uint32_t position; /* the argument that it names, counted from 1; 0: the next */
    int64_t width, precision;
    uint32_t arg; /* which one of the call it was; for the constants */
    const void *pointer;
};

struct reader {
    const struct libc_call *call;
    struct given given;
    const uint8_t *format;
    bool is_wide, scans;
    bool is_lost; /* arguments of a list that are out of order */
};

/* ---- the format, narrow or wide ------------------------------------------------------ */

static uint32_t peek(const struct reader *r)
{
    uint32_t c = *r->format;
    if (r->is_wide)
        memcpy(&c, r->format, sizeof c);
    return c < 128 ? c : '?';
}

static uint32_t take(struct reader *r)
{
    uint32_t c = peek(r);
    r->format += r->is_wide ? sizeof(wchar_t) : 1;
    return c;
}

static bool take_if(struct reader *r, uint32_t c)
{
    if (peek(r) != c)
        return false;
    take(r);
    return true;
}

static bool is_one_of(uint32_t c, const char *list)
{
    return c && strchr(list, (int)c);
}

static int64_t take_number(struct reader *r)
{
    int64_t n = 0;
    while (peek(r) >= '0' && peek(r) <= '9')
        n = n * 10 + (take(r) - '0');
    return n;
}

/* ---- arguments ----------------------------------------------------------------------- */

static uint64_t next_word(struct given *g, bool is_int)
{
    if (!g->is_list)
        return g->next < g->call->args->count ? g->call->args->at[g->next++] : 0;
    return is_int ? (uint64_t)(int64_t)va_arg(g->list, int) : va_arg(g->list, uint64_t);
}

static void skip_float(struct given *g, bool is_long)
{
    if (!g->is_list)
        g->next++;
    else if (is_long)
        (void)va_arg(g->list, long double);
    else
        (void)va_arg(g->list, double);
}

static void list_begin(struct given *g, uint32_t at)
{
    struct libc_call *c = (struct libc_call *)(uintptr_t)g->call;
    if (!c->is_over)
        memcpy(c->args->list, (const void *)(uintptr_t)c->args->at[at], sizeof g->list);
    memcpy(g->list, c->args->list, sizeof g->list);
}

/* ---- one conversion ------------------------------------------------------------------ */

static int64_t take_width(struct reader *r)
{
    if (!take_if(r, '*'))
        return take_number(r);
    if (peek(r) >= '0' && peek(r) <= '9') { /* *2$ */
        r->is_lost |= r->given.is_list;
        int64_t n = take_number(r);
        take_if(r, '$');
        uint32_t at = r->given.first + (uint32_t)n - 1;
        return at < r->call->args->count ? (int)r->call->args->at[at] : 0;
    }
    return (int)next_word(&r->given, true);
}

static char take_length(struct reader *r)
{
    if (take_if(r, 'h'))
        return take_if(r, 'h') ? 'H' : 'h';
    if (take_if(r, 'l'))
        return take_if(r, 'l') ? 'L' : 'l';
    return is_one_of(peek(r), "LqjztZ") ? (char)take(r) : 0;
}

/* Behind the [ of a scan: its set. */
static void skip_set(struct reader *r)
{
    take_if(r, '^');
    take_if(r, ']');
    while (peek(r) && take(r) != ']')
        ;
}

static void take_argument(struct reader *r, struct conversion *v)
{
    struct given *g = &r->given;
    bool is_pointer = r->scans || is_one_of((uint32_t)v->type, "sSpn");
    if (v->position) {
        r->is_lost |= g->is_list;
        g->next = g->first + v->position - 1;
    }
    v->arg = g->next;
    if (r->is_lost || v->is_quiet || is_one_of((uint32_t)v->type, "%m"))
        return;
    if (is_pointer)
        v->pointer = (const void *)(uintptr_t)next_word(g, false);
    else if (is_one_of((uint32_t)v->type, "eEfFgGaA"))
        skip_float(g, v->length == 'L');
    else
        next_word(g, !v->length || v->length == 'h' || v->length == 'H');
}

/* Behind its %. */
static struct conversion take_conversion(struct reader *r)
{
    struct conversion v = {.precision = NO_PRECISION};
    const uint8_t *start = r->format;
    int64_t n = take_number(r);
    if (n && take_if(r, '$'))
        v.position = (uint32_t)n;
    else
        r->format = start;
    if (r->scans)
        v.is_quiet = take_if(r, '*');
    while (is_one_of(peek(r), r->scans ? "'I" : "-+ #0'I"))
        take(r);
    v.width = take_width(r);
    if (!r->scans && take_if(r, '.'))
        v.precision = take_width(r);
    v.allocates = r->scans && take_if(r, 'm');
    v.length = take_length(r);
    v.type = (char)take(r);
    if (r->scans && v.type == '[')
        skip_set(r);
    take_argument(r, &v);
    return v;
}

static struct conversion next_conversion(struct reader *r)
{
    while (peek(r))
        if (take(r) == '%')
            return take_conversion(r);
    return (struct conversion){0};
}

static uint64_t integer_bytes(char length)
{
    return length == 'H' ? 1 : length == 'h' ? 2 : length ? 8 : 4;
}

/* ---- printing ------------------------------------------------------------------------ */

static void print(struct libc_call *c, struct reader *r)
{
    for (struct conversion v; (v = next_conversion(r)).type && !r->is_lost;) {
        bool is_text = v.type == 's' || v.type == 'S';
        if (!v.pointer || libc_is_constant(c, v.arg))
            continue;
        if (is_text && !c->is_over)
            libc_reads_text(c, v.pointer,
                            v.precision >= 0 ? (uint64_t)v.precision : SIZE_MAX / 8,
                            v.type == 'S' || v.length == 'l');
        else if (v.type == 'n' && !c->is_over)
            libc_point(c, EV_WRITE_RANGE, v.pointer, integer_bytes(v.length));
        else if (v.type == 'n')
            libc_writes(c, v.pointer, integer_bytes(v.length));
    }
}

/* ---- scanning ------------------------------------------------------------------------ */

static uint64_t text_bytes(const void *p, bool is_wide)
{
    return is_wide ? (wcslen(p) + 1) * sizeof(wchar_t) : strlen(p) + 1;
}

/* What is there behind the call; before it, as much as is sure. */
static uint64_t stored_bytes(const struct libc_call *c, const struct conversion *v)
{
    bool is_wide = v->length == 'l' || v->type == 'S' || v->type == 'C';
    if (v->allocates)
        return sizeof(void *);
    switch (v->type) {
    case 'e':
    case 'f':
    case 'g':
    case 'a':
    case 'E':
    case 'F':
    case 'G':
    case 'A':
        return v->length == 'L' ? sizeof(long double) : v->length == 'l' ? 8 : 4;
    case 'c':
    case 'C':
        return (uint64_t)(v->width ? v->width : 1) * (is_wide ? sizeof(wchar_t) : 1);
    case 's':
    case 'S':
    case '[':
        return c->is_over ? text_bytes(v->pointer, is_wide) : 1;
    case 'p':
        return sizeof(void *);
    default:
        return integer_bytes(v->length);
    }
}

static void store(struct libc_call *c, const struct conversion *v)
{
    uint64_t len = stored_bytes(c, v);
    if (!c->is_over) {
        libc_point(c, EV_WRITE_RANGE, v->pointer, len);
        return;
    }
    libc_writes(c, v->pointer, len);
    const void *made = NULL;
    if (v->allocates)
        memcpy(&made, v->pointer, sizeof made);
    if (made && v->type != 'c' && v->type != 'C')
        libc_writes(c, made, text_bytes(made, v->length == 'l' || v->type == 'S'));
}

static void scan(struct libc_call *c, struct reader *r)
{
    int64_t done = 0;
    for (struct conversion v; (v = next_conversion(r)).type && !r->is_lost;) {
        bool counts = v.type != 'n';
        if (!v.pointer)
            continue;
        if (!c->is_over || done + counts <= c->result)
            store(c, &v);
        done += counts;
    }
}

void format_tell(struct libc_call *c, char how, uint32_t at)
{
    bool is_wide = how >= 'a';
    char what = is_wide ? (char)(how - 'a' + 'A') : how;
    struct reader r = {.call = c,
                       .given = {.call = c, .first = at + 1, .next = at + 1},
                       .format = (const uint8_t *)(uintptr_t)c->args->at[at],
                       .is_wide = is_wide,
                       .scans = what == 'S' || what == 'T'};
    if (!c->is_over && !libc_is_constant(c, at))
        libc_reads_text(c, r.format, SIZE_MAX / 8, is_wide);
    r.given.is_list = what == 'V' || what == 'T';
    if (r.given.is_list)
        list_begin(&r.given, at + 1);
    if (r.scans)
        scan(c, &r);
    else
        print(c, &r);
}
