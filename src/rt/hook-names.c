/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-names: names that the system would choose by chance: of temporary files, and ports. They
 * are chosen here, by the thread's random numbers (hook-chance.c) and in order, so that they
 * are the same in every run that has a world of its own; one that is taken is left for the
 * next. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { NAME_TRIES = 1000, PORT_TRIES = 200, PORT_FIRST = 23000, PORTS = 9000 };

/* ---- temporary files --------------------------------------------------------------------- */

static int make_file(const char *path, int flags)
{
    before_open(AT_FDCWD, path, O_CREAT);
    return real.open(path, O_RDWR | O_CREAT | O_EXCL | (flags & ~O_ACCMODE), 0600);
}

static int make_directory(const char *path, int flags)
{
    (void)flags;
    before_change(AT_FDCWD, path);
    return real.mkdir(path, 0700);
}

/* The six X before the suffix become letters; what mkstemp and its kin say. */
static int make_named(struct thr *t, char *path, int suffix, int flags,
                      int (*make)(const char *, int))
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t len = strlen(path);
    char *at = path + len - 6 - (size_t)(suffix > 0 ? suffix : 0);
    errno = EINVAL;
    if (suffix < 0 || len < 6 + (size_t)suffix || memcmp(at, "XXXXXX", 6) != 0)
        return -1;
    int made = -1;
    errno = EEXIST;
    for (int i = 0; i < NAME_TRIES && made < 0 && errno == EEXIST; i++) {
        uint64_t value = chance_next(t);
        for (int k = 0; k < 6; k++, value /= sizeof letters - 1)
            at[k] = letters[value % (sizeof letters - 1)];
        made = make(path, flags);
    }
    return made;
}

static struct call named_call(struct thr *t, const char *name, char *path, int suffix,
                              int flags, int (*make)(const char *, int), struct spot *p)
{
    struct call c = call_begin(t, name);
    *p = (struct spot){0};
    if (call_live(&c)) {
        CALL_MADE(c, make_named(t, path, suffix, flags, make));
        *p = spot_before(AT_FDCWD, path);
    }
    call_fills(&c, path, (int64_t)strlen(path));
    call_keeps(&c, p, sizeof *p);
    spot_told(&c, p);
    return c;
}

static int open_named(struct thr *t, const char *name, char *path, int suffix, int flags)
{
    struct spot p;
    struct call c = named_call(t, name, path, suffix, flags, make_file, &p);
    descriptor_new(&c, c.result);
    channel_file((int)c.result, &p);
    return (int)call_end(&c);
}

EXPORT int mkstemp(char *path)
{
    return self ? open_named(self, "mkstemp", path, 0, 0) : real.mkstemp(path);
}
ALSO(mkstemp, mkstemp64);

EXPORT int mkostemp(char *path, int flags)
{
    return self ? open_named(self, "mkostemp", path, 0, flags) : real.mkostemp(path, flags);
}
ALSO(mkostemp, mkostemp64);

EXPORT int mkstemps(char *path, int suffix)
{
    return self ? open_named(self, "mkstemps", path, suffix, 0) : real.mkstemps(path, suffix);
}
ALSO(mkstemps, mkstemps64);

EXPORT char *mkdtemp(char *path)
{
    struct thr *t = self;
    if (!t)
        return real.mkdtemp(path);
    struct spot p;
    struct call c = named_call(t, "mkdtemp", path, 0, 0, make_directory, &p);
    return call_end(&c) == 0 ? path : NULL;
}

/* ---- ports ------------------------------------------------------------------------------- */

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static in_port_t *port_in(union address *a)
{
    return a->any.sa_family == AF_INET ? &a->four.sin_port : &a->six.sin6_port;
}

/* Where the port stands, if the system is to choose it; else null. The address goes to *a. */
static in_port_t *open_port(union address *a, const struct sockaddr *from, socklen_t len)
{
    bool is_four = from && len == sizeof a->four && from->sa_family == AF_INET;
    bool is_six = from && len == sizeof a->six && from->sa_family == AF_INET6;
    if (!is_four && !is_six)
        return NULL;
    __builtin_memcpy(a, from, len);
    return *port_in(a) == 0 ? port_in(a) : NULL;
}

/* Where all who connect are played it need not be this very port: another run may have it. Only
 * if it is free, whatever the target allows, is it ours. */
static bool bind_alone(int fd, const struct sockaddr *a, socklen_t len)
{
    int before = 0, none = 0;
    socklen_t bytes = sizeof before;
    real.getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &before, &bytes);
    real.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &none, sizeof none);
    int e = real.bind(fd, a, len), error = errno;
    real.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &before, sizeof before);
    errno = error;
    return e == 0;
}

static int bind_somewhere(int fd, const struct sockaddr *from, socklen_t len)
{
    union address a = {0};
    in_port_t *port = open_port(&a, from, len);
    if (rt.play && !port && (a.any.sa_family == AF_INET || a.any.sa_family == AF_INET6)) {
        if (bind_alone(fd, from, len))
            return 0;
        port = errno == EADDRINUSE ? port_in(&a) : NULL;
        rt.moved_port = port ? *port : rt.moved_port;
    }
    for (int i = 0; port && i < PORT_TRIES; i++) {
        *port = htons((in_port_t)(PORT_FIRST + rt.port_next++ % PORTS));
        if (apart_bind(fd, &a.any, len) == 0)
            return 0;
        if (errno != EADDRINUSE)
            break;
    }
    return apart_bind(fd, from, len);
}

/* The path of a socket, which need not end with a zero byte; NULL: it has none. */
static const char *path_in(const struct sockaddr_un *a, socklen_t len, char *out)
{
    size_t most = len - offsetof(struct sockaddr_un, sun_path);
    most = most < sizeof a->sun_path ? most : sizeof a->sun_path;
    memcpy(out, a->sun_path, most);
    out[most] = 0;
    return out[0] ? out : NULL;
}

EXPORT int bind(int fd, const struct sockaddr *a, socklen_t len)
{
    struct thr *t = self;
    char path[sizeof(struct sockaddr_un)];
    struct sockaddr_un own;
    if (!t)
        return real.bind(fd, a, len);
    struct call c = call_begin(t, "bind");
    struct spot p = {0};
    c.fd = fd;
    a = apart_address(a, &len, &own);
    if (call_live(&c)) {
        bool is_named = a && a->sa_family == AF_UNIX &&
                        len > offsetof(struct sockaddr_un, sun_path) &&
                        path_in((const struct sockaddr_un *)a, len, path);
        if (is_named) {
            p = spot_before(AT_FDCWD, path);
            before_change(AT_FDCWD, path);
        }
        CALL_MADE(c, bind_somewhere(fd, a, len));
        if (is_named)
            apart_changed(&c, AT_FDCWD, path);
    }
    call_keeps(&c, &p, sizeof p);
    spot_told(&c, &p);
    channel_settings(&c, fd, true);
    return (int)call_end(&c);
}
