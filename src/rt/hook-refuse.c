/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-refuse: what would run beside the token, or switch stacks under it. Such a run ends as
 * `unsupported` with the name of the call; where a system without the call is a system that
 * programs know, they are told that this is one, and the outcome names the call. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* ---- system calls by number -------------------------------------------------------------- */

static struct {
    long number;
    const char *name;
    bool is_missing; /* a kernel may be without it */
    bool is_named;   /* it has been */
} refused[] = {
    {SYS_clone, "clone", false, false},
    {SYS_clone3, "clone3", false, false},
    {SYS_fork, "fork by syscall", false, false},
    {SYS_vfork, "vfork by syscall", false, false},
    {SYS_futex_waitv, "futex_waitv", false, false},
    {SYS_sendmmsg, "sendmmsg by syscall", true, false},
    {SYS_recvmmsg, "recvmmsg by syscall", true, false},
    {SYS_io_uring_setup, "io_uring_setup", true, false},
    {SYS_io_uring_enter, "io_uring_enter", true, false},
    {SYS_io_uring_register, "io_uring_register", true, false},
    {SYS_io_setup, "io_setup", true, false},
    {SYS_io_submit, "io_submit", true, false},
    {SYS_io_getevents, "io_getevents", true, false},
    {SYS_io_pgetevents, "io_pgetevents", true, false},
};

bool refuse_syscall(long number)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (refused[i].number != number)
            continue;
        if (!refused[i].is_missing)
            outcome_unsupported(refused[i].name);
        if (!refused[i].is_named)
            outcome_doubt(DOUBT_REFUSED, refused[i].name);
        refused[i].is_named = true;
        return true;
    }
    return false;
}

void refuse_futex(long operation)
{
    static const char *const names[] = {
        [FUTEX_FD] = "FUTEX_FD",
        [FUTEX_REQUEUE] = "FUTEX_REQUEUE",
        [FUTEX_CMP_REQUEUE] = "FUTEX_CMP_REQUEUE",
        [FUTEX_WAKE_OP] = "FUTEX_WAKE_OP",
        [FUTEX_LOCK_PI] = "FUTEX_LOCK_PI",
        [FUTEX_UNLOCK_PI] = "FUTEX_UNLOCK_PI",
        [FUTEX_TRYLOCK_PI] = "FUTEX_TRYLOCK_PI",
        [FUTEX_WAIT_REQUEUE_PI] = "FUTEX_WAIT_REQUEUE_PI",
        [FUTEX_CMP_REQUEUE_PI] = "FUTEX_CMP_REQUEUE_PI",
        [FUTEX_LOCK_PI2] = "FUTEX_LOCK_PI2",
    };
    const char *name =
        (unsigned long)operation < sizeof names / sizeof names[0] ? names[operation] : NULL;
    outcome_unsupported(name ? name : "unknown futex operation");
}

/* ---- threads and stacks that we do not know ---------------------------------------------- */

EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
    va_list list;
    va_start(list, arg);
    void *parent = va_arg(list, void *), *tls = va_arg(list, void *),
         *child = va_arg(list, void *);
    va_end(list);
    if (self)
        outcome_unsupported("clone");
    return real.clone(fn, stack, flags, arg, parent, tls, child);
}

EXPORT int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to)
{
    if (self)
        outcome_unsupported("swapcontext");
    return real.swapcontext(from, to);
}

EXPORT int setcontext(const ucontext_t *to)
{
    if (self)
        outcome_unsupported("setcontext");
    return real.setcontext(to);
}

/* ---- calls that wait, or start threads of libc's own ------------------------------------- */

#define REFUSES(type, name, parameters, arguments) \
    EXPORT type name parameters                    \
    {                                              \
        if (self)                                  \
            outcome_unsupported(#name);            \
        return real.name arguments;                \
    }

REFUSES(int, mq_notify, (mqd_t queue, const struct sigevent *event), (queue, event))
REFUSES(int, aio_read, (struct aiocb * request), (request))
REFUSES(int, aio_write, (struct aiocb * request), (request))
REFUSES(int, aio_fsync, (int how, struct aiocb *request), (how, request))
REFUSES(int, lio_listio,
        (int mode, struct aiocb *const list[restrict], int count,
         struct sigevent *restrict event),
        (mode, list, count, event))
ALSO(aio_read, aio_read64); /* the header calls them so where files may be large */
ALSO(aio_write, aio_write64);
ALSO(aio_fsync, aio_fsync64);
ALSO(lio_listio, lio_listio64);
REFUSES(int, pthread_sigqueue, (pthread_t thread, int signal, const union sigval value),
        (thread, signal, value))
REFUSES(pid_t, forkpty,
        (int *parent, char *name, const struct termios *settings, const struct winsize *size),
        (parent, name, settings, size))

/* ---- what the world says through these is not in the record: named, and let through ------ */

#define NAME(what)                                       \
    do {                                                 \
        static bool is_named;                            \
        if (self && !is_named)                           \
            outcome_doubt(DOUBT_UNMODELLED_CALL, #what); \
        is_named |= self != NULL;                        \
    } while (0)

#define NAMES(type, name, parameters, arguments) \
    EXPORT type name parameters                  \
    {                                            \
        NAME(name);                              \
        return real.name arguments;              \
    }

/* What the family does there is in the record; others may have it, too. */
EXPORT void *shmat(int id, const void *at, int flags)
{
    NAME(shmat);
    struct shmid_ds segment = {0};
    void *p = real.shmat(id, at, flags);
    bool is_there = self && p != (void *)-1 &&
                    sys_call(SYS_shmctl, id, IPC_STAT, (long)&segment, 0, 0, 0) == 0;
    if (is_there && !(flags & SHM_RDONLY)) {
        shared_mapped(p, segment.shm_segsz);
        shared_memory();
    }
    return p;
}

NAMES(int, nftw, (const char *path, __nftw_func_t visit, int depth, int flags),
      (path, visit, depth, flags))
NAMES(FTS *, fts_open,
      (char *const *paths, int options, int (*compare)(const FTSENT **, const FTSENT **)),
      (paths, options, compare))
ALSO(nftw, nftw64);
ALSO(fts_open, fts64_open);
NAMES(int, openpty,
      (int *parent, int *child, char *name, const struct termios *settings,
       const struct winsize *size),
      (parent, child, name, settings, size))
NAMES(char *, getpass, (const char *prompt), (prompt)) /* asks the terminal itself */
