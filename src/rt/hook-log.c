/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-log: calls that wait until somebody outside has taken what the target said: the system's
 * log, and a terminal. They are in the record, and a replay does not make them. The memory that
 * libc works with on the way is not the target's (hook-alloc.c). */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>
#include <stdarg.h>
#include <syslog.h>

void __syslog_chk(int priority, int flag, const char *format, ...);
void __vsyslog_chk(int priority, int flag, const char *format, va_list list);

EXPORT void vsyslog(int priority, const char *format, va_list list)
{
    struct thr *t = self;
    int error = errno; /* the text may say it: %m */
    if (!t) {
        real.vsyslog(priority, format, list);
        return;
    }
    struct call c = call_begin(t, "syslog");
    if (call_live(&c)) {
        alloc_aside();
        self = NULL;
        errno = error;
        real.vsyslog(priority, format, list);
        self = t;
        alloc_aside_end();
        CALL_MADE(c, 0);
    }
    call_end(&c);
    errno = error;
}

EXPORT void syslog(int priority, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsyslog(priority, format, list);
    va_end(list);
}

EXPORT void __syslog_chk(int priority, int flag, const char *format, ...)
{
    va_list list;
    (void)flag;
    va_start(list, format);
    vsyslog(priority, format, list);
    va_end(list);
}

EXPORT void __vsyslog_chk(int priority, int flag, const char *format, va_list list)
{
    (void)flag;
    vsyslog(priority, format, list);
}

CALL(int, tcdrain, (int fd), (fd), c.fd = fd)

/* The memory of this process would change without an event. */
EXPORT ssize_t process_vm_writev(pid_t pid, const struct iovec *v, unsigned long count,
                                 const struct iovec *to, unsigned long to_count,
                                 unsigned long flags)
{
    CALL_BEGUN(process_vm_writev, (pid, v, count, to, to_count, flags));
    if (call_live(&c)) {
        if (pid == rt.pid)
            outcome_unsupported("process_vm_writev to the process itself");
        CALL_MADE(c, real.process_vm_writev(pid, v, count, to, to_count, flags));
    }
    return (ssize_t)call_end(&c);
}
