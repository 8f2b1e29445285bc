/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-sem-named: sem_open and its kin. A named semaphore is a file that holds one, as libc has
 * it; it is mapped here, without libc's help, because a replay does the same without the file:
 * its first value comes from the log, and nothing in the world changes. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { CLASS_SEM_ = WORD_VALUE(CLASS, SEM), PATH_MOST = 300 };
static const char directory[] = "/dev/shm/sem.";

/* What the log says of one that was opened. */
struct opened {
    uint64_t device, node;
    sem_t start;
    uint64_t is_made; /* by this call */
};

static int refuse(int error)
{
    errno = error;
    return -1;
}

static int result_of(long e)
{
    return e < 0 ? refuse((int)-e) : (int)e;
}

static int path_of(const char *name, const char *more, char *out)
{
    struct text text = {out, 0, PATH_MOST};
    while (*name == '/')
        name++;
    size_t len = __builtin_strlen(name);
    if (len == 0 || len >= NAME_MAX || __builtin_strchr(name, '/'))
        return refuse(EINVAL); /* glibc's answer, whatever the manual says of long names */
    if (len > NAME_MAX - 4)    /* sem. */
        return refuse(ENAMETOOLONG);
    text_put(&text, directory);
    text_put(&text, more);
    text_put_len(&text, name, *more && len > NAME_MAX / 2 ? NAME_MAX / 2 : len);
    return 0;
}

/* A file with its value in it appears under its name as a whole. */
static int create(const char *name, const char *path, mode_t mode, unsigned value)
{
    char aside[PATH_MOST], tag[40];
    struct text text = {tag, 0, sizeof tag};
    sem_t s = {0};
    if (value > SEM_VALUE_MAX)
        return refuse(EINVAL);
    text_put(&text, "heddle-");
    text_number(&text, (uint64_t)sys_getpid());
    text_put(&text, "-");
    if (path_of(name, tag, aside) < 0)
        return -1;
    real.sem_init(&s, 1, value);
    int fd = result_of(sys_open(aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, (int)mode));
    if (fd < 0)
        return -1;
    long e = sys_write(fd, &s, sizeof s) == (long)sizeof s ? 0 : -ENOSPC;
    if (e == 0)
        e = sys_call(SYS_link, (long)aside, (long)path, 0, 0, 0, 0);
    sys_call(SYS_unlink, (long)aside, 0, 0, 0, 0, 0);
    if (e < 0)
        sys_close(fd);
    return e < 0 ? refuse((int)-e) : fd;
}

static int open_file(const char *name, int flags, mode_t mode, unsigned value, bool *is_made)
{
    char path[PATH_MOST];
    if (path_of(name, "", path) < 0)
        return -1;
    before_open(AT_FDCWD, path, O_RDWR | O_CREAT);
    for (;;) {
        int fd = -1;
        bool is_new = (flags & O_CREAT) && (flags & O_EXCL);
        if (!is_new)
            fd = result_of(sys_open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0));
        if (fd >= 0 || (!is_new && (errno != ENOENT || !(flags & O_CREAT))))
            return fd;
        fd = create(name, path, mode, value);
        *is_made = fd >= 0;
        if (*is_made)
            apart_made(path);
        if (fd >= 0 || errno != EEXIST || is_new)
            return fd;
    }
}

static sem_t *map(int fd)
{
    int how = MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0);
    long p = sys_call(SYS_mmap, 0, sizeof(sem_t), PROT_READ | PROT_WRITE, how, fd, 0);
    return p < 0 && p > -4096 ? NULL : (sem_t *)p; /* NOLINT: an address */
}

static struct named *find(const struct opened *o)
{
    for (uint32_t i = 0; i < NAMED_MAX; i++)
        if (rt.named[i].count && rt.named[i].device == o->device && rt.named[i].node == o->node)
            return &rt.named[i];
    return NULL;
}

static struct named *unused(void)
{
    for (uint32_t i = 0; i < NAMED_MAX; i++)
        if (!rt.named[i].count)
            return &rt.named[i];
    return NULL;
}

/* Where it is; the descriptor is -1 in a replay. */
static sem_t *attach(const struct opened *o, int fd)
{
    struct named *n = find(o);
    if (n) {
        n->count++;
        return n->at;
    }
    n = unused();
    sem_t *s = n ? map(fd) : NULL;
    if (!s) {
        errno = n ? ENOMEM : EMFILE;
        return SEM_FAILED;
    }
    if (fd < 0)
        *s = o->start;
    *n = (struct named){.device = o->device, .node = o->node, .at = s, .count = 1};
    struct obj *object = obj_get(s, CLASS_SEM_);
    object->is_shared = true;
    object->is_foreign = !o->is_made;
    return s;
}

static void look(int fd, struct opened *out)
{
    struct stat st = {0};
    sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0);
    out->device = st.st_dev;
    out->node = st.st_ino;
    sys_call(SYS_pread64, fd, (long)&out->start, sizeof out->start, 0, 0, 0);
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    struct thr *t = self;
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    unsigned value = flags & O_CREAT ? va_arg(list, unsigned) : 0;
    va_end(list);
    if (!t)
        return real.sem_open(name, flags, mode, value);
    struct call c = call_begin(t, "sem_open");
    struct opened o = {0};
    int fd = -1;
    bool is_made = false;
    if (call_live(&c)) {
        fd = open_file(name, flags, mode, value, &is_made);
        CALL_MADE(c, fd < 0 ? -1 : 0);
    }
    if (fd >= 0)
        look(fd, &o);
    o.is_made = is_made;
    call_keeps(&c, &o, sizeof o);
    semaphore_told(&c);
    if (call_end(&c) < 0)
        return SEM_FAILED;
    sem_t *s = attach(&o, fd);
    if (fd >= 0)
        sys_close(fd);
    return s;
}

EXPORT int sem_close(sem_t *s)
{
    struct thr *t = self;
    for (uint32_t i = 0; t && i < NAMED_MAX; i++) {
        struct named *n = &rt.named[i];
        if (!n->count || n->at != s)
            continue;
        point_on(t, s);
        stir(t);
        if (--n->count == 0) {
            obj_drop(obj_get(s, CLASS_SEM_));
            sys_call(SYS_munmap, (long)s, sizeof *s, 0, 0, 0, 0);
        }
        return 0;
    }
    return real.sem_close(s);
}

CALL_BEHIND(int, sem_unlink, (const char *name), (name), before_shared(directory, name), )
