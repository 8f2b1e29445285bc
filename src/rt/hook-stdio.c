/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-stdio: a stream's lock may be held over points (flockfile), so it is modelled, and
 * what prints or reads respects it. Inside one call of libc there is no point: there its own
 * lock is enough. A read that would wait for the world goes outside. */
#define __NO_INLINE__ 1 /* <stdio.h> must not define some of these itself */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <stdarg.h>

enum { CLASS_MUTEX_ = WORD_VALUE(CLASS, MUTEX) };

/* ---- the stream's lock --------------------------------------------------------------- */

static void wait_for(struct thr *t, FILE *f)
{
    struct obj *o = obj_find(f, CLASS_MUTEX_);
    while (o && o->owner != NO_ID && o->owner != t->id) {
        sched_block(t, o, WAIT_MUTEX, NEVER);
        o = obj_find(f, CLASS_MUTEX_);
    }
}

static void take(struct thr *t, FILE *f, unsigned flags, struct __heddle_site *site)
{
    struct obj *o = obj_get(f, CLASS_MUTEX_);
    o->owner = t->id;
    if (o->depth++ == 0)
        o->since = site;
    stir(t);
    if (o->first)
        sched_changed(o);
    record_held(t, EV_ACQUIRE, f, flags, o->depth, site);
}

EXPORT void flockfile(FILE *f)
{
    struct thr *t = self;
    if (!t) {
        real.flockfile(f);
        return;
    }
    struct __heddle_site *site = __heddle_here;
    point(t);
    record_held(t, EV_REQUEST, f, 0, 0, site);
    wait_for(t, f);
    take(t, f, 0, site);
}

EXPORT int ftrylockfile(FILE *f)
{
    struct thr *t = self;
    if (!t)
        return real.ftrylockfile(f);
    point_at(t, f, __heddle_here);
    struct obj *o = obj_get(f, CLASS_MUTEX_);
    if (o->owner != NO_ID && o->owner != t->id) {
        t->learnt = true;
        record_sync(t, EV_REFUSED, f, FLAG(TRY), EBUSY, __heddle_here);
        return EBUSY;
    }
    take(t, f, FLAG(TRY), __heddle_here);
    return 0;
}

EXPORT void funlockfile(FILE *f)
{
    struct thr *t = self;
    if (!t) {
        real.funlockfile(f);
        return;
    }
    point(t);
    struct obj *o = obj_get(f, CLASS_MUTEX_);
    stir(t);
    if (o->depth && --o->depth == 0)
        o->owner = NO_ID;
    record_held(t, EV_RELEASE, f, 0, o->depth, __heddle_here);
    if (o->first && o->depth == 0)
        sched_changed(o);
}

/* ---- printing ------------------------------------------------------------------------ */

static void before(struct thr *t, FILE *f)
{
    point(t);
    stir(t);
    wait_for(t, f);
}

static void printed(struct thr *t, FILE *f, int64_t len, struct __heddle_site *site)
{
    if (len <= 0 || !rt.recording || (f != stdout && f != stderr))
        return;
    record_event(
        t, &(struct ev){.kind = EV_OUTPUT, .number = f == stdout ? 1 : 2, .len = (uint64_t)len},
        site);
}

#define PRINTS(type, name, parameters, arguments, stream, length) \
    EXPORT type name parameters                                   \
    {                                                             \
        struct thr *t = self;                                     \
        if (!t)                                                   \
            return real.name arguments;                           \
        struct __heddle_site *site = __heddle_here;               \
        before(t, stream);                                        \
        type n = real.name arguments;                             \
        printed(t, stream, length, site);                         \
        return n;                                                 \
    }

PRINTS(int, vfprintf, (FILE *restrict f, const char *restrict format, va_list list),
       (f, format, list), f, n)
PRINTS(int, vprintf, (const char *restrict format, va_list list), (format, list), stdout, n)
PRINTS(int, puts, (const char *s), (s), stdout, n < 0 ? 0 : (int64_t)__builtin_strlen(s) + 1)
PRINTS(int, fputs, (const char *restrict s, FILE *restrict f), (s, f), f,
       n < 0 ? 0 : (int64_t)__builtin_strlen(s))
PRINTS(int, fputc, (int c, FILE *f), (c, f), f, n >= 0)
PRINTS(int, putc, (int c, FILE *f), (c, f), f, n >= 0)
PRINTS(int, putchar, (int c), (c), stdout, n >= 0)
PRINTS(size_t, fwrite, (const void *restrict p, size_t size, size_t count, FILE *restrict f),
       (p, size, count, f), f, (int64_t)(n *size))

#define FORMATTED(name, parameters, last, call) \
    int name parameters;                        \
    EXPORT int name parameters                  \
    {                                           \
        va_list list;                           \
        va_start(list, last);                   \
        int n = call;                           \
        va_end(list);                           \
        return n;                               \
    }

FORMATTED(printf, (const char *restrict format, ...), format, vprintf(format, list))
FORMATTED(fprintf, (FILE *restrict f, const char *restrict format, ...), format,
          vfprintf(f, format, list))
FORMATTED(__printf_chk, (int flag, const char *restrict format, ...), format,
          ((void)flag, vprintf(format, list)))
FORMATTED(__fprintf_chk, (FILE *restrict f, int flag, const char *restrict format, ...), format,
          ((void)flag, vfprintf(f, format, list)))

EXPORT int fflush(FILE *f)
{
    struct thr *t = self;
    if (t && f)
        before(t, f);
    return real.fflush(f);
}

EXPORT void perror(const char *s)
{
    struct thr *t = self;
    int error = errno;
    if (t)
        before(t, stderr);
    errno = error;
    real.perror(s);
}

/* ---- reading ------------------------------------------------------------------------- */

/* Nothing buffered, and nothing there yet. */
static bool would_wait(FILE *f)
{
    struct pollfd p = {.fd = f->_fileno, .events = POLLIN};
    return f->_IO_read_ptr >= f->_IO_read_end && p.fd >= 0 &&
           sys_call(SYS_poll, (long)&p, 1, 0, 0, 0, 0) == 0;
}

#define READS(type, name, parameters, arguments, stream)            \
    EXPORT type name parameters                                     \
    {                                                               \
        struct thr *t = self;                                       \
        if (!t)                                                     \
            return real.name arguments;                             \
        before(t, stream);                                          \
        t->learnt = true;                                           \
        OUTSIDE(out, t, sched_goes_outside(t, would_wait(stream))); \
        type n = real.name arguments;                               \
        int error = errno;                                          \
        outside_end(&out);                                          \
        errno = error;                                              \
        return n;                                                   \
    }

READS(char *, fgets, (char *restrict s, int size, FILE *restrict f), (s, size, f), f)
READS(int, fgetc, (FILE * f), (f), f)
READS(int, getc, (FILE * f), (f), f)
READS(int, getchar, (void), (), stdin)
READS(ssize_t, getdelim,
      (char **restrict line, size_t *restrict size, int delimiter, FILE *restrict f),
      (line, size, delimiter, f), f)
READS(ssize_t, getline, (char **restrict line, size_t *restrict size, FILE *restrict f),
      (line, size, f), f)
READS(size_t, fread, (void *restrict p, size_t size, size_t count, FILE *restrict f),
      (p, size, count, f), f)
READS(int, vfscanf, (FILE *restrict f, const char *restrict format, va_list list),
      (f, format, list), f)
READS(int, vscanf, (const char *restrict format, va_list list), (format, list), stdin)
