/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-signal-old: System V's and BSD's ways to speak of signals, in terms of POSIX's. libc has
 * its own inside, which would go past us. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>

static int mask_one(int how, int signal, sigset_t *old)
{
    sigset_t one;
    sigemptyset(&one);
    if (sigaddset(&one, signal) < 0)
        return -1;
    return sigprocmask(how, &one, old);
}

EXPORT int sighold(int signal)
{
    return self ? mask_one(SIG_BLOCK, signal, NULL) : real.sighold(signal);
}

EXPORT int sigrelse(int signal)
{
    return self ? mask_one(SIG_UNBLOCK, signal, NULL) : real.sigrelse(signal);
}

EXPORT int sigignore(int signal)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    return self ? sigaction(signal, &ignore, NULL) : real.sigignore(signal);
}

EXPORT int siginterrupt(int signal, int interrupts)
{
    struct sigaction action;
    if (!self)
        return real.siginterrupt(signal, interrupts);
    if (sigaction(signal, NULL, &action) < 0)
        return -1;
    action.sa_flags &= ~SA_RESTART;
    action.sa_flags |= interrupts ? 0 : SA_RESTART;
    return sigaction(signal, &action, NULL);
}

/* What was held says so; whatever else it is set to, it is held no more. */
EXPORT __sighandler_t sigset(int signal, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler}, old;
    sigset_t before;
    if (!self)
        return real.sigset(signal, handler);
    bool holds = handler == SIG_HOLD;
    if (sigaction(signal, holds ? NULL : &action, &old) < 0 ||
        mask_one(holds ? SIG_BLOCK : SIG_UNBLOCK, signal, &before) < 0)
        return SIG_ERR;
    return sigismember(&before, signal) ? SIG_HOLD : old.sa_handler;
}

/* What <signal.h> calls `signal` where a program is compiled as ISO C alone. */
EXPORT __sighandler_t __sysv_signal(int signal, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler,
                               .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)},
                     old;
    if (!self)
        return real.__sysv_signal(signal, handler);
    return sigaction(signal, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}
ALSO(sysv_signal, __sysv_signal);

EXPORT int killpg(pid_t group, int signal)
{
    if (!self)
        return real.killpg(group, signal);
    if (group >= 0)
        return kill(-group, signal);
    errno = EINVAL;
    return -1;
}
