/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-signalfd: signals that are read. A signalfd is one end of a pair of sockets; who routes
 * signals writes those that are blocked to its other end, and reading them is input like any
 * other. Different from the kernel's: a signal is not pending any more as soon as it could be
 * read. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

static struct signalfd_siginfo told(const siginfo_t *info)
{
    struct signalfd_siginfo s = {.ssi_signo = (uint32_t)info->si_signo,
                                 .ssi_errno = info->si_errno,
                                 .ssi_code = info->si_code,
                                 .ssi_pid = (uint32_t)info->si_pid,
                                 .ssi_uid = info->si_uid};
    if (info->si_signo == SIGCHLD)
        s.ssi_status = info->si_status;
    else
        s.ssi_int = info->si_value.sival_int;
    if (info->si_signo != SIGCHLD)
        s.ssi_ptr = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    return s;
}

static void know_masks(void)
{
    rt.signalfd_mask = 0;
    for (uint32_t i = 0; i < SIGNALFDS_MAX; i++)
        if (rt.signalfds[i].is_used)
            rt.signalfd_mask |= rt.signalfds[i].mask;
}

static struct signalfd *find(int fd)
{
    for (uint32_t i = 0; i < SIGNALFDS_MAX; i++)
        if (rt.signalfds[i].is_used && rt.signalfds[i].fd == fd)
            return &rt.signalfds[i];
    return NULL;
}

static void forget(struct signalfd *s)
{
    if (s->other >= 0)
        sys_close(s->other);
    s->is_used = false;
    know_masks();
}

/* Does one take it? In a replay its readers have it from the log. */
bool signalfd_takes(int signal, const siginfo_t *info)
{
    struct signalfd_siginfo s = told(info);
    for (uint32_t i = 0; i < SIGNALFDS_MAX; i++) {
        struct signalfd *f = &rt.signalfds[i];
        if (!f->is_used || !(f->mask & 1ULL << (signal - 1)))
            continue;
        if (rt.input.exact || sys_call(SYS_sendto, f->other, (long)&s, sizeof s,
                                       MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0) == sizeof s)
            return true;
        forget(f); /* closed */
    }
    return false;
}

/* The end that is read, or -1; the other goes where the target does not look. */
static int make(int flags, int *other)
{
    int ends[2], type = SOCK_STREAM | (flags & SFD_NONBLOCK ? SOCK_NONBLOCK : 0) |
                        (flags & SFD_CLOEXEC ? SOCK_CLOEXEC : 0);
    if (real.socketpair(AF_UNIX, type, 0, ends) < 0)
        return -1;
    *other = input_high(ends[1]);
    return ends[0];
}

static struct signalfd *unused(void)
{
    for (uint32_t i = 0; i < SIGNALFDS_MAX; i++)
        if (!rt.signalfds[i].is_used)
            return &rt.signalfds[i];
    return NULL;
}

static struct signalfd *create(struct thr *t, int flags)
{
    struct signalfd *s = unused(), *old;
    int other = -1;
    if (!s) {
        errno = EMFILE;
        return NULL;
    }
    struct call c = call_begin(t, "signalfd");
    if (call_live(&c))
        CALL_MADE(c, make(flags, &other));
    descriptor_new(&c, c.result);
    channel_signals(c.result);
    int fd = (int)call_end(&c);
    if (fd < 0)
        return NULL;
    if ((old = find(fd))) /* closed, and its number is used again */
        forget(old);
    *s = (struct signalfd){.fd = fd, .other = other, .is_used = true};
    return s;
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    struct thr *t = self;
    if (!t)
        return real.signalfd(fd, set, flags);
    struct signalfd *s = fd == -1 ? create(t, flags) : find(fd);
    if (!s) {
        errno = fd == -1 ? errno : EINVAL;
        return -1;
    }
    __builtin_memcpy(&s->mask, set, sizeof s->mask);
    know_masks();
    signal_deliver(t, SIGNAL_IN_CALL); /* some may be pending */
    return s->fd;
}
