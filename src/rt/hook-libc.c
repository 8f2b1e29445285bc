/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-libc: a function of the C library is called whose accesses take more than the compiler
 * wants to put into code. The row of libc.def is read here, before the call and behind it: a
 * thread stands before each access; what the function looks at is told before the call, what it
 * leaves, and how far it looked if its result says so, behind. */
#include "rt/libc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

enum { UNKNOWN_RESULT = 'R' };

/* One access of a row; see libc.def. */
struct row_access {
    char how, letter; /* letter: of what is hidden, or special */
    bool of_result;   /* the address is what the call gives back */
    uint32_t arg, offset, bytes;
    char extent;
    uint32_t count, args[3]; /* of the extent */
    char only;               /* = > !: if the result is 0, not negative, not 0 */
};

/* ---- reading a row ------------------------------------------------------------------- */

static uint32_t number(const char **at)
{
    uint32_t n = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n * 10 + (uint32_t)(**at - '0');
    return n;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *row_next(const char *at, struct row_access *a)
{
    *a = (struct row_access){.how = *at++};
    if (a->how == 'h' || a->how == 'H' || a->how == 'Q' || a->how == '*')
        a->letter = *at++;
    if (*at == UNKNOWN_RESULT) {
        a->of_result = true;
        at++;
    } else if (a->how != 'Q' && is_digit(*at)) {
        a->arg = (uint32_t)(*at++ - '0');
    }
    if (*at == '+') {
        at++;
        a->offset = number(&at);
    }
    if (*at && !is_digit(*at) && !strchr(" =>!", *at))
        a->extent = *at++;
    if (a->extent == 'k')
        a->bytes = number(&at);
    for (; is_digit(*at); at++)
        if (a->count < 3)
            a->args[a->count++] = (uint32_t)(*at - '0');
    if (*at && *at != ' ')
        a->only = *at++;
    while (*at == ' ')
        at++;
    return at;
}

/* ---- how far a text is looked at ----------------------------------------------------- */

static bool is_wide(char extent)
{
    return extent >= 'A' && extent <= 'Z';
}

static uint64_t text_bytes(const void *addr, uint64_t max, bool wide)
{
    uint64_t len = wide ? wcsnlen(addr, max) : strnlen(addr, max);
    return (len < max ? len + 1 : max) * (wide ? sizeof(wchar_t) : 1);
}

static uint32_t element(const void *addr, uint64_t i, bool wide)
{
    return wide ? (uint32_t)((const wchar_t *)addr)[i] : ((const uint8_t *)addr)[i];
}

static uint32_t lower(uint32_t c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Up to where two texts differ. */
static uint64_t same_bytes(const void *a, const void *b, uint64_t max, char how)
{
    bool wide = is_wide(how), folds = how == 'c' || how == 'C';
    uint64_t i = 0;
    while (i < max) {
        uint32_t x = element(a, i, wide), y = element(b, i, wide);
        i++;
        if ((folds ? lower(x) != lower(y) : x != y) || x == 0)
            break;
    }
    return i * (wide ? sizeof(wchar_t) : 1);
}

static uint32_t digit(uint32_t c)
{
    return c - '0' < 10 ? c - '0' : lower(c) - 'a' < 26 ? lower(c) - 'a' + 10 : 99;
}

static uint64_t blanks(const void *s, bool wide)
{
    uint64_t i = 0;
    for (uint32_t c; (c = element(s, i, wide)) == ' ' || (c >= '\t' && c <= '\r');)
        i++;
    return i;
}

/* A whole number, and the first character that does not belong to it. */
static uint64_t integer_bytes(const void *s, uint32_t base, bool wide)
{
    uint64_t i = blanks(s, wide);
    uint32_t sign = element(s, i, wide);
    i += sign == '-' || sign == '+';
    bool has_prefix = element(s, i, wide) == '0' && lower(element(s, i + 1, wide)) == 'x' &&
                      digit(element(s, i + 2, wide)) < 16;
    if (has_prefix && (base == 0 || base == 16)) {
        i += 2;
        base = 16;
    }
    if (base == 0)
        base = element(s, i, wide) == '0' ? 8 : 10;
    while (digit(element(s, i, wide)) < base)
        i++;
    return (i + 1) * (wide ? sizeof(wchar_t) : 1);
}

static uint64_t float_bytes(const void *s, bool wide)
{
    int error = errno;
    char *end = NULL;
    wchar_t *wide_end = NULL;
    if (wide)
        wcstod(s, &wide_end);
    else
        strtod(s, &end);
    errno = error;
    const char *stop = wide ? (const char *)wide_end : end;
    return (uint64_t)(stop - (const char *)s) + (wide ? sizeof(wchar_t) : 1);
}

/* ---- extents ------------------------------------------------------------------------- */

static uint64_t value_at(const struct libc_call *c, uint32_t arg)
{
    return arg < c->args->count ? c->args->at[arg] : 0;
}

static const void *pointer_at(const struct libc_call *c, uint32_t arg)
{
    return (const void *)(uintptr_t)value_at(c, arg);
}

/* Is it the result that says how far? */
static bool needs_result(const struct row_access *a)
{
    return a->of_result || (a->extent && strchr("bouUlLO", a->extent));
}

static uint64_t limit_of(const struct libc_call *c, const struct row_access *a, uint32_t which)
{
    return a->count > which ? value_at(c, a->args[which]) : UINT64_MAX / 8;
}

/* What a function printed: with what ends it, and as far as there was room. */
static uint64_t printed_bytes(const struct libc_call *c, const struct row_access *a, bool wide)
{
    uint64_t room = limit_of(c, a, 0), len = (uint64_t)c->result + 1;
    if (c->result < 0)
        return 0;
    return (len < room ? len : room) * (wide ? sizeof(wchar_t) : 1);
}

/* Up to what was found; or all of it. */
static uint64_t found_bytes(const struct libc_call *c, const struct row_access *a,
                            const void *addr, bool wide)
{
    uint64_t unit = wide ? sizeof(wchar_t) : 1;
    if (c->result)
        return (uint64_t)c->result - (uint64_t)(uintptr_t)addr + unit;
    return a->count ? value_at(c, a->args[0]) * unit : text_bytes(addr, UINT64_MAX / 8, wide);
}

static uint64_t extent_of(const struct libc_call *c, const struct row_access *a,
                          const void *addr)
{
    bool wide = is_wide(a->extent);
    uint64_t unit = wide ? sizeof(wchar_t) : 1;
    switch (a->extent) {
    case 'k':
        return a->bytes;
    case 'n':
    case 'N':
        return value_at(c, a->args[0]) * unit;
    case 'x':
        return value_at(c, a->args[0]) * value_at(c, a->args[1]);
    case 'v':
        return value_at(c, a->args[0]) * a->args[1] * (a->count > 2 ? a->args[2] : 1);
    case 'z':
    case 'Z':
        return text_bytes(a->count ? pointer_at(c, a->args[0]) : addr, UINT64_MAX / 8, wide);
    case 'm':
    case 'M':
        return text_bytes(pointer_at(c, a->args[0]), value_at(c, a->args[1]), wide);
    case 's':
    case 'S':
    case 'c':
    case 'C':
        return same_bytes(pointer_at(c, a->args[0]), pointer_at(c, a->args[1]),
                          limit_of(c, a, 2), a->extent);
    case 'i':
    case 'I':
        return integer_bytes(addr, a->count ? (uint32_t)value_at(c, a->args[0]) : 10, wide);
    case 'd':
    case 'D':
        return float_bytes(addr, wide);
    case 'b':
        return c->result > 0 ? (uint64_t)c->result : 0;
    case 'o':
    case 'O':
        return printed_bytes(c, a, wide);
    case 'l':
    case 'L':
        return ((uint64_t)c->result + 1) * unit;
    case 'u':
    case 'U':
        return found_bytes(c, a, addr, wide);
    default:
        return 1;
    }
}

/* A struct: between its fields, and where a field is larger than what the function puts there,
 * is what was there before, perhaps never written. */
static bool has_gaps(const struct row_access *a)
{
    return a->extent == 'k' && a->bytes > sizeof(uint64_t);
}

static bool is_by_content(const struct row_access *a)
{
    return a->extent && !strchr("knNxvb", a->extent);
}

/* ---- telling ------------------------------------------------------------------------- */

void libc_point(struct libc_call *c, unsigned kind, const void *addr, uint64_t len)
{
    point_access(c->thr, kind, addr, len, c->site);
}

void libc_reads(struct libc_call *c, const void *addr, uint64_t len)
{
    memory_read(c->thr, addr, len, c->site);
}

/* What a call leaves in a variable of the caller's changes nothing for the others: who asks
 * again and again waits. */
static void stand_behind(struct libc_call *c, const void *addr, uint64_t len)
{
    if (c->has_waited) /* right behind the call is as good as right before it */
        libc_point(c, EV_WRITE_RANGE, addr, len);
    else
        c->thr->step++;
    if (!is_on_stack(c->thr, (uintptr_t)addr))
        stir(c->thr);
}

void libc_writes(struct libc_call *c, const void *addr, uint64_t len)
{
    stand_behind(c, addr, len);
    memory_filled(c->thr, addr, len, c->site);
}

static void writes_some(struct libc_call *c, const void *addr, uint64_t len)
{
    stand_behind(c, addr, len);
    memory_touched(c->thr, EV_WRITE_RANGE, addr, len, c->site);
}

void libc_reads_text(struct libc_call *c, const void *addr, uint64_t max, bool wide)
{
    libc_point(c, EV_READ_RANGE, addr, text_bytes(addr, max, wide));
    libc_reads(c, addr, text_bytes(addr, max, wide));
    c->by_content = true;
}

/* NULL: there is nothing, or it is constant. */
static const void *address_of(const struct libc_call *c, const struct row_access *a)
{
    const uint8_t *at = a->of_result ? (const uint8_t *)(uintptr_t)c->result
                                     : (const uint8_t *)pointer_at(c, a->arg);
    if (!at || (!a->of_result && libc_is_constant(c, a->arg)))
        return NULL;
    if (a->how == 'a')
        at += text_bytes(at, UINT64_MAX / 8, is_wide(a->extent)) -
              (is_wide(a->extent) ? sizeof(wchar_t) : 1);
    return at + a->offset;
}

/* It is measured once more behind the point: others may have changed it there. */
static void read_before(struct libc_call *c, const struct row_access *a)
{
    const void *addr = address_of(c, a);
    if (!addr)
        return;
    if (needs_result(a)) {
        libc_point(c, EV_READ_RANGE, addr, 1);
        return;
    }
    libc_point(c, EV_READ_RANGE, addr, extent_of(c, a, addr));
    if (has_gaps(a))
        memory_touched(c->thr, EV_READ_RANGE, addr, a->bytes, c->site);
    else
        libc_reads(c, addr, extent_of(c, a, addr));
    c->by_content |= is_by_content(a);
}

static void read_behind(struct libc_call *c, const struct row_access *a)
{
    const void *addr = needs_result(a) ? address_of(c, a) : NULL;
    if (!addr)
        return;
    libc_reads(c, addr, extent_of(c, a, addr));
    c->by_content |= is_by_content(a);
}

static bool has_happened(const struct libc_call *c, char only)
{
    return only == '=' ? c->result == 0 : only == '>' ? c->result >= 0 : !only || c->result;
}

static void tell_write(struct libc_call *c, const struct row_access *a)
{
    if (!c->is_over) {
        const void *addr = a->of_result ? NULL : address_of(c, a);
        if (addr || a->of_result)
            libc_point(c, EV_WRITE_RANGE, addr,
                       addr && !needs_result(a) ? extent_of(c, a, addr) : 1);
        if (a->how == 'a') /* where it ends now is where it goes on */
            c->args->list[0] = (uint64_t)(uintptr_t)addr;
        return;
    }
    const void *addr = a->how == 'a' ? (const void *)(uintptr_t)c->args->list[0] : NULL;
    addr = addr ? addr : address_of(c, a);
    if (!addr || !has_happened(c, a->only))
        return;
    if (a->how == 'Q')
        hidden_result(a->letter, addr, extent_of(c, a, addr));
    if (has_gaps(a))
        writes_some(c, addr, a->bytes);
    else
        libc_writes(c, addr, extent_of(c, a, addr));
}

/* Functions that go by no rule. */
static void tell_special(struct libc_call *c, const struct row_access *a)
{
    switch (a->letter) {
    case 'l': /* setlocale: a question, or an answer */
        if (!c->is_over)
            hidden_touch(c, 'L', value_at(c, 1) != 0);
        break;
    case 'v':
    case 'm':
        if (!c->is_over)
            pieces_tell(c, a->letter, a->arg, a->count ? value_at(c, a->args[0]) : 1);
        break;
    default:
        token_tell(c, a->letter);
    }
}

static void tell(struct libc_call *c, const struct row_access *a)
{
    switch (a->how) {
    case 'r':
        if (c->is_over)
            read_behind(c, a);
        else
            read_before(c, a);
        break;
    case 'w':
    case 'a':
    case 'Q':
        tell_write(c, a);
        break;
    case 'h':
    case 'H':
        if (!c->is_over)
            hidden_touch(c, a->letter, a->how == 'H');
        break;
    case '*':
        tell_special(c, a);
        break;
    default:
        format_tell(c, a->how, a->arg);
    }
}

static void tell_row(struct libc_call *c, const char *row)
{
    struct row_access a;
    while (*row) {
        row = row_next(row, &a);
        a.of_result |= a.how == 'Q';
        tell(c, &a);
    }
    if (c->by_content)
        __heddle_branch(WORD_VALUE(BRANCH, ADDRESS), c->site);
}

EXPORT void __heddle_libc_begin(const char *row, struct __heddle_args *args,
                                struct __heddle_site *site)
{
    struct libc_call c = {.thr = self, .site = site, .args = args};
    int error = errno;
    if (!self)
        return;
    tell_row(&c, row);
    args->step = c.thr->step;
    errno = error;
}

EXPORT void __heddle_libc_end(const char *row, struct __heddle_args *args, int64_t result,
                              struct __heddle_site *site)
{
    struct libc_call c = {
        .thr = self, .site = site, .args = args, .result = result, .is_over = true};
    int error = errno;
    if (!self)
        return;
    c.has_waited = c.thr->step != args->step;
    tell_row(&c, row);
    errno = error;
}
