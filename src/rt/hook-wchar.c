/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-wchar: wide characters on streams. libc's own streams (standard output and error) do
 * that themselves. Those of ours are made by fopencookie, which knows bytes only and crashes
 * where it is given anything else: there a wide character is what the locale makes of it. */
#define __NO_INLINE__ 1 /* <stdio.h> and <wchar.h> must not define some of these themselves */
#include "rt/stream.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

/* How libc marks a stream without wide characters, and one that failed. */
#define NO_WIDE ((struct _IO_wide_data *)-1L)
enum { HAS_FAILED = 0x20 };

static bool is_narrow(const FILE *f)
{
    return f->_wide_data == NO_WIDE;
}

static wint_t fails(FILE *f)
{
    errno = EILSEQ;
    f->_flags |= HAS_FAILED;
    return WEOF;
}

/* ---- the streams of ours, with their lock in hand ---------------------------------------- */

static wint_t put_one(wchar_t c, FILE *f)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t len = wcrtomb(bytes, c, &state);
    if (len == (size_t)-1)
        return fails(f);
    return real.fwrite(bytes, 1, len, f) == len ? (wint_t)c : WEOF;
}

static int put_all(const wchar_t *s, FILE *f)
{
    for (; *s; s++)
        if (put_one(*s, f) == WEOF)
            return -1;
    return 1;
}

static wint_t get_one(FILE *f)
{
    mbstate_t state = {0};
    for (int c; (c = real.fgetc(f)) != EOF;) {
        char byte = (char)c;
        wchar_t wide = 0;
        size_t len = mbrtowc(&wide, &byte, 1, &state);
        if (len == (size_t)-1)
            return fails(f);
        if (len != (size_t)-2)
            return (wint_t)wide;
    }
    return mbsinit(&state) ? WEOF : fails(f);
}

static wchar_t *get_line(wchar_t *s, int room, FILE *f)
{
    int len = 0;
    for (wint_t c = 0; len + 1 < room && c != L'\n'; s[len++] = (wchar_t)c)
        if ((c = get_one(f)) == WEOF)
            break;
    if (len == 0 || ferror(f))
        return NULL;
    s[len] = 0;
    return s;
}

static wint_t unget_one(wint_t c, FILE *f)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t len = c == WEOF ? (size_t)-1 : wcrtomb(bytes, (wchar_t)c, &state);
    if (len == (size_t)-1)
        return WEOF;
    while (len > 0)
        if (real.ungetc((unsigned char)bytes[--len], f) == EOF)
            return WEOF;
    return c;
}

/* There is no way to ask how long it will be: more room until it fits. */
static int put_formatted(FILE *f, const wchar_t *format, va_list list)
{
    int len = -1;
    for (size_t room = 256; len < 0 && room <= 1 << 26; room *= 4) {
        wchar_t *text = malloc(room * sizeof *text);
        va_list again;
        va_copy(again, list);
        len = text ? vswprintf(text, room, format, again) : -1;
        va_end(again);
        if (len >= 0 && put_all(text, f) < 0)
            len = -1;
        free(text);
        if (!text || ferror(f))
            return -1;
    }
    return len;
}

/* ---- what the target calls --------------------------------------------------------------- */

#define CHARACTERS(type, name, parameters, arguments, stream, narrow, into, length)    \
    READS_BY(is_narrow(stream) ? narrow : real.name arguments, type, name, parameters, \
             arguments, stream, into, length)
#define PUTS(type, name, parameters, arguments, stream, narrow) \
    CHARACTERS(type, name, parameters, arguments, stream, narrow, NULL, 0)

PUTS(wint_t, fputwc, (wchar_t c, FILE *f), (c, f), f, put_one(c, f))
PUTS(wint_t, putwc, (wchar_t c, FILE *f), (c, f), f, put_one(c, f))
PUTS(wint_t, putwchar, (wchar_t c), (c), stdout, put_one(c, stdout))
PUTS(int, fputws, (const wchar_t *restrict s, FILE *restrict f), (s, f), f, put_all(s, f))
PUTS(int, vfwprintf, (FILE *restrict f, const wchar_t *restrict format, va_list list),
     (f, format, list), f, put_formatted(f, format, list))
PUTS(wint_t, fgetwc, (FILE * f), (f), f, get_one(f))
PUTS(wint_t, getwc, (FILE * f), (f), f, get_one(f))
PUTS(wint_t, getwchar, (void), (), stdin, get_one(stdin))
PUTS(wint_t, ungetwc, (wint_t c, FILE *f), (c, f), f, unget_one(c, f))
CHARACTERS(wchar_t *, fgetws, (wchar_t *restrict s, int room, FILE *restrict f), (s, room, f),
           f, get_line(s, room, f), n, n ? (wcslen(n) + 1) * sizeof *n : 0)

EXPORT int fwide(FILE *f, int mode)
{
    if (!self || !is_narrow(f))
        return real.fwide(f, mode);
    return mode > 0 ? 1 : mode < 0 ? -1 : 0;
}

EXPORT int vwprintf(const wchar_t *restrict format, va_list list)
{
    return vfwprintf(stdout, format, list);
}

FORMATTED(wprintf, (const wchar_t *restrict format, ...), format,
          vfwprintf(stdout, format, list))
FORMATTED(fwprintf, (FILE *restrict f, const wchar_t *restrict format, ...), format,
          vfwprintf(f, format, list))
FORMATTED(__wprintf_chk, (int flag, const wchar_t *restrict format, ...), format,
          ((void)flag, vfwprintf(stdout, format, list)))
FORMATTED(__fwprintf_chk, (FILE *restrict f, int flag, const wchar_t *restrict format, ...),
          format, ((void)flag, vfwprintf(f, format, list)))
FORMATTED_V(__vwprintf_chk, (int flag, const wchar_t *restrict format, va_list list),
            ((void)flag, vfwprintf(stdout, format, list)))
FORMATTED_V(__vfwprintf_chk,
            (FILE *restrict f, int flag, const wchar_t *restrict format, va_list list),
            ((void)flag, vfwprintf(f, format, list)))

/* Formatted reading wants a stream that can. */
EXPORT int vfwscanf(FILE *restrict f, const wchar_t *restrict format, va_list list)
{
    struct thr *t = self;
    if (t && is_narrow(f))
        outcome_unsupported("fwscanf");
    bool held = t && stream_enter(t, f);
    int n = real.vfwscanf(f, format, list);
    if (t)
        stream_leave(t, f, held);
    return n;
}
FORMATTED(__isoc99_fwscanf, (FILE *restrict f, const wchar_t *restrict format, ...), format,
          vfwscanf(f, format, list))
FORMATTED(__isoc99_wscanf, (const wchar_t *restrict format, ...), format,
          vfwscanf(stdin, format, list))
FORMATTED_V(__isoc99_vwscanf, (const wchar_t *restrict format, va_list list),
            vfwscanf(stdin, format, list))
/* <wchar.h> gives vfwscanf another name. */
ALSO(vfwscanf, __isoc99_vfwscanf);
ALSO(fwscanf, __isoc99_fwscanf);
ALSO(wscanf, __isoc99_wscanf);
ALSO(vwscanf, __isoc99_vwscanf);
