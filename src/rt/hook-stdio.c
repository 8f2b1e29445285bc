/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-stdio: streams are libc's, but what they read, write and seek comes through us: a
 * stream that the target opens, and standard input, is made by fopencookie. Then it is logged
 * and answered like everything else (input.c), whatever function of libc asked for it.
 * Standard output and error stay as they are: they are shown in a replay too.
 *
 * A stream's lock may be held over points (flockfile), so it is modelled; what reads or
 * writes a stream of ours holds it too, because it may have to wait inside of libc. */
#define __NO_INLINE__ 1 /* <stdio.h> must not define some of these itself */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/stream.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

enum { CLASS_MUTEX_ = WORD_VALUE(CLASS, MUTEX) };

/* ---- the stream's lock ------------------------------------------------------------ */

/* Stands for the locks of all streams, while somebody flushes them all. */
static FILE *const every = (FILE *)16;

static void wait_for(struct thr *t, FILE *f)
{
    struct obj *o = obj_find(f, CLASS_MUTEX_);
    while (o && o->owner != NO_ID && o->owner != t->id) {
        sched_block(t, o, WAIT_MUTEX, NEVER);
        o = obj_find(f, CLASS_MUTEX_);
    }
}

static bool is_used(FILE *f, const struct thr *t)
{
    const struct obj *o = obj_find(f, CLASS_MUTEX_);
    return o && o->owner != NO_ID && o->owner != t->id;
}

void stream_wait(struct thr *t, FILE *f)
{
    while (is_used(f, t) || UNLIKELY(is_used(every, t))) {
        wait_for(t, every);
        wait_for(t, f);
    }
}

static void take(struct thr *t, FILE *f, unsigned flags, struct __heddle_site *site)
{
    struct obj *o = obj_get(f, CLASS_MUTEX_);
    o->is_stream = true;
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
    stream_wait(t, f);
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

/* ---- printing --------------------------------------------------------------------- */

/* Ours, and what it does may wait. */
static bool may_wait(FILE *f)
{
    return f != stdout && f != stderr;
}

static bool hold(struct thr *t, FILE *f)
{
    struct obj *o = obj_get(f, CLASS_MUTEX_);
    CHECK(o->owner == t->id || (o->owner == NO_ID && o->depth == 0));
    o->is_stream = true;
    o->owner = t->id;
    o->depth++;
    if (o->first)
        sched_changed(o);
    return true;
}

bool stream_enter(struct thr *t, FILE *f)
{
    point(t);
    signal_unsafe(t);
    stir(t);
    stream_wait(t, f);
    return may_wait(f) && hold(t, f);
}

void stream_leave(struct thr *t, FILE *f, bool held)
{
    struct obj *o = held ? obj_find(f, CLASS_MUTEX_) : NULL;
    (void)t;
    if (!o || o->depth == 0 || --o->depth)
        return;
    o->owner = NO_ID;
    if (o->first)
        sched_changed(o);
    else
        obj_drop(o);
}

void stream_printed(struct thr *t, FILE *f, int64_t len, struct __heddle_site *site)
{
    if (len <= 0 || !rt.recording || (f != stdout && f != stderr))
        return;
    record_event(
        t, &(struct ev){.kind = EV_OUTPUT, .number = f == stdout ? 1 : 2, .len = (uint64_t)len},
        site);
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

FORMATTED(printf, (const char *restrict format, ...), format, vprintf(format, list))
FORMATTED(fprintf, (FILE *restrict f, const char *restrict format, ...), format,
          vfprintf(f, format, list))
FORMATTED(__printf_chk, (int flag, const char *restrict format, ...), format,
          ((void)flag, vprintf(format, list)))
FORMATTED(__fprintf_chk, (FILE *restrict f, int flag, const char *restrict format, ...), format,
          ((void)flag, vfprintf(f, format, list)))

FORMATTED_V(__vprintf_chk, (int flag, const char *restrict format, va_list list),
            ((void)flag, vprintf(format, list)))
FORMATTED_V(__vfprintf_chk,
            (FILE *restrict f, int flag, const char *restrict format, va_list list),
            ((void)flag, vfprintf(f, format, list)))

/* Straight to a descriptor. */
EXPORT int vdprintf(int fd, const char *restrict format, va_list list)
{
    char *text = NULL;
    if (!self)
        return real.vdprintf(fd, format, list);
    int len = vasprintf(&text, format, list);
    if (len >= 0 && write(fd, text, (size_t)len) != len)
        len = -1;
    free(text);
    return len;
}
FORMATTED(dprintf, (int fd, const char *restrict format, ...), format,
          vdprintf(fd, format, list))
FORMATTED(__dprintf_chk, (int fd, int flag, const char *restrict format, ...), format,
          ((void)flag, vdprintf(fd, format, list)))

static FILE *used_by_another(const struct thr *t)
{
    for (uint32_t i = 0; i < rt.object_used; i++) {
        const struct obj *o = &rt.objects[i];
        if (o->is_stream && o->owner != NO_ID && o->owner != t->id)
            return (FILE *)(uintptr_t)o->addr;
    }
    return NULL;
}

/* No stream is in use when it takes them all, or two could wait for each other. */
static bool enter_every(struct thr *t)
{
    point(t);
    stir(t);
    for (FILE *used; (used = used_by_another(t));)
        stream_wait(t, used);
    return hold(t, every);
}

EXPORT int fflush(FILE *f)
{
    struct thr *t = self;
    bool held = t && (f ? stream_enter(t, f) : enter_every(t));
    int n = real.fflush(f);
    if (held)
        stream_leave(t, f ? f : every, held);
    return n;
}

EXPORT void perror(const char *s)
{
    struct thr *t = self;
    int error = errno;
    if (t)
        stream_enter(t, stderr);
    errno = error;
    real.perror(s);
}

/* ---- reading ---------------------------------------------------------------------- */

/* What went into the target's own memory is a write of its thread. */
void stream_filled(struct thr *t, const void *p, uint64_t len, struct __heddle_site *site)
{
    const struct call c = {.thr = t, .site = site};
    if (p)
        call_tells(&c, p, len);
}

READS(char *, fgets, (char *restrict s, int size, FILE *restrict f), (s, size, f), f, n,
      n ? __builtin_strlen(n) + 1 : 0)
READS(int, fgetc, (FILE * f), (f), f, NULL, 0)
READS(int, getc, (FILE * f), (f), f, NULL, 0)
READS(int, getchar, (void), (), stdin, NULL, 0)
READS(ssize_t, getdelim,
      (char **restrict line, size_t *restrict size, int delimiter, FILE *restrict f),
      (line, size, delimiter, f), f, n < 0 ? NULL : *line, (uint64_t)n + 1)
READS(ssize_t, getline, (char **restrict line, size_t *restrict size, FILE *restrict f),
      (line, size, f), f, n < 0 ? NULL : *line, (uint64_t)n + 1)
READS(size_t, fread, (void *restrict p, size_t size, size_t count, FILE *restrict f),
      (p, size, count, f), f, p, n *size)
READS(int, vfscanf, (FILE *restrict f, const char *restrict format, va_list list),
      (f, format, list), f, NULL, 0)
READS(int, vscanf, (const char *restrict format, va_list list), (format, list), stdin, NULL, 0)

FORMATTED(__isoc99_scanf, (const char *restrict format, ...), format, vscanf(format, list))
FORMATTED(__isoc99_fscanf, (FILE *restrict f, const char *restrict format, ...), format,
          vfscanf(f, format, list))
/* <stdio.h> gives vscanf and vfscanf these names. */
ALSO(vscanf, __isoc99_vscanf);
ALSO(vfscanf, __isoc99_vfscanf);
ALSO(scanf, __isoc99_scanf);
ALSO(fscanf, __isoc99_fscanf);

char *__fgets_chk(char *s, size_t room, int size, FILE *f);
size_t __fread_chk(void *p, size_t room, size_t size, size_t count, FILE *f);

EXPORT char *__fgets_chk(char *s, size_t room, int size, FILE *f)
{
    (void)room;
    return fgets(s, size, f);
}

EXPORT size_t __fread_chk(void *p, size_t room, size_t size, size_t count, FILE *f)
{
    (void)room;
    return fread(p, size, count, f);
}

/* ---- streams of ours --------------------------------------------------------------------- *
 * The cookie is the descriptor. libc holds the stream's lock: no other thread may run in here,
 * unless this one has to wait. */

static int fd_of(void *cookie)
{
    return (int)(intptr_t)cookie - 1;
}

static ssize_t stream_read(void *cookie, char *p, size_t len)
{
    struct thr *t = self;
    int fd = fd_of(cookie);
    if (!t)
        return real.read(fd, p, len);
    struct call c = call_inside(t, "fill");
    c.is_within = true;
    if (io_begin(&c, fd, POLLIN))
        CALL_MADE(c, chance_read(t, fd, p, len));
    call_fills(&c, p, c.result);
    return call_end(&c);
}

static ssize_t stream_write(void *cookie, const char *p, size_t len)
{
    struct thr *t = self;
    int fd = fd_of(cookie);
    if (!t)
        return real.write(fd, p, len);
    struct call c = call_inside(t, "drain");
    if (io_begin(&c, fd, POLLOUT))
        CALL_MADE(c, real.write(fd, p, len));
    struct iovec v = {(void *)(uintptr_t)p, len};
    c.said = &v;
    io_show(&c, fd, &v, 1);
    mapped_written(&c, fd, &v, 1, -1);
    int64_t n = call_end(&c);
    return n < 0 ? 0 : n; /* how a cookie says that it failed */
}

static int stream_seek(void *cookie, off64_t *offset, int from)
{
    struct thr *t = self;
    int fd = fd_of(cookie);
    off64_t at;
    if (t) {
        struct call c = call_inside(t, "seek");
        c.fd = fd;
        if (call_live(&c))
            CALL_MADE(c, real.lseek(fd, *offset, from));
        at = call_end(&c);
    } else {
        at = real.lseek(fd, *offset, from);
    }
    if (at < 0)
        return -1;
    *offset = at;
    return 0;
}

static int stream_close(void *cookie)
{
    struct thr *t = self;
    int fd = fd_of(cookie);
    if (!t)
        return real.close(fd);
    struct call c = call_inside(t, "close");
    c.fd = fd;
    if (call_live(&c))
        CALL_MADE(c, real.close(fd));
    descriptor_gone(&c, fd);
    return (int)call_end(&c);
}

FILE *stream_open(int fd, const char *mode)
{
    cookie_io_functions_t ours = {stream_read, stream_write, stream_seek, stream_close};
    FILE *f = fopencookie((void *)(intptr_t)(fd + 1), mode, ours);
    if (f)
        f->_fileno = fd; /* for fileno */
    return f;
}

static int flags_of(const char *mode)
{
    int flags = mode[0] == 'r'   ? O_RDONLY
                : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                                 : O_WRONLY | O_CREAT | O_APPEND;
    for (const char *p = mode + 1; *p && *p != ','; p++) {
        if (*p == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        flags |= *p == 'x' ? O_EXCL : *p == 'e' ? O_CLOEXEC : 0;
    }
    return flags;
}

static bool is_mode(const char *mode)
{
    if (mode[0] == 'r' || mode[0] == 'w' || mode[0] == 'a')
        return true;
    errno = EINVAL;
    return false;
}

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    if (!self)
        return real.fopen(path, mode);
    if (!is_mode(mode))
        return NULL;
    int fd = open(path, flags_of(mode), 0666);
    return fd < 0 ? NULL : stream_open(fd, mode);
}
ALSO(fopen, fopen64);

EXPORT FILE *fdopen(int fd, const char *mode)
{
    if (!self)
        return real.fdopen(fd, mode);
    int flags = is_mode(mode) ? fcntl(fd, F_GETFL) : -1;
    if (flags < 0)
        return NULL;
    int has = flags & O_ACCMODE, wants = flags_of(mode) & O_ACCMODE;
    if (has != O_RDWR && has != wants) {
        errno = EINVAL;
        return NULL;
    }
    return stream_open(fd, mode);
}

EXPORT FILE *tmpfile(void)
{
    if (!self)
        return real.tmpfile();
    char path[] = "/tmp/heddle-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        return NULL;
    unlink(path);
    return stream_open(fd, "w+");
}
ALSO(tmpfile, tmpfile64);

/* glibc's marks of what a stream may not do, or does. */
enum { NO_READS = 4, NO_WRITES = 8, WRITES_NOW = 0x800, APPENDS = 0x1000 };

/* Nothing is left in its buffer, and its mode is another. */
static void begin_anew(FILE *f, int flags)
{
    int access = flags & O_ACCMODE;
    f->_IO_read_base = f->_IO_read_ptr = f->_IO_read_end = f->_IO_buf_base;
    f->_IO_write_base = f->_IO_write_ptr = f->_IO_write_end = f->_IO_buf_base;
    f->_flags &= ~(NO_READS | NO_WRITES | WRITES_NOW | APPENDS);
    f->_flags |= (access == O_WRONLY ? NO_READS : 0) | (access == O_RDONLY ? NO_WRITES : 0) |
                 (flags & O_APPEND ? APPENDS : 0);
}

/* The stream stays what it is, over another file. */
EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict f)
{
    struct thr *t = self;
    if (!t)
        return real.freopen(path, mode, f);
    int to = fileno(f);
    bool held = stream_enter(t, f);
    real.fflush(f);
    f->_IO_read_ptr = f->_IO_read_end;
    stream_leave(t, f, held);
    int fd = path ? open(path, flags_of(mode), 0666) : -1;
    if (fd < 0 || to < 0 || dup2(fd, to) < 0)
        return NULL;
    close(fd);
    clearerr(f);
    held = stream_enter(t, f);
    begin_anew(f, flags_of(mode));
    stream_leave(t, f, held);
    return f;
}
ALSO(freopen, freopen64);

/* Who closes it may have locked it: the lock ends with the stream. */
static void let_go(struct thr *t, FILE *f)
{
    struct obj *o = obj_find(f, CLASS_MUTEX_);
    if (!o || o->depth == 0 || o->owner != t->id)
        return;
    o->depth = 0;
    o->owner = NO_ID;
    record_held(t, EV_RELEASE, f, 0, 0, __heddle_here);
    if (o->first)
        sched_changed(o);
}

EXPORT int fclose(FILE *f)
{
    struct thr *t = self;
    if (!t)
        return real.fclose(f);
    let_go(t, f);
    bool held = stream_enter(t, f);
    int n = real.fclose(f), error = errno;
    stream_leave(t, f, held);
    errno = error;
    return n;
}

/* Before anything of the target reads. */
void stream_start(void)
{
    FILE *f = stream_open(0, "r");
    if (f)
        stdin = f;
}
