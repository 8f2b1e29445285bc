/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-chance: what is different from run to run although nobody asked for it: random numbers,
 * who we are, and how the machine is doing. Logged, so that a replay sees the same. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/timex.h>
#include <unistd.h>

CALL(ssize_t, getrandom, (void *out, size_t len, unsigned flags), (out, len, flags),
     call_fills(&c, out, c.result))
CALL(int, getentropy, (void *out, size_t len), (out, len),
     call_fills(&c, out, c.result == 0 ? (int64_t)len : 0))
CALL(uint32_t, arc4random, (void), (), )
CALL(uint32_t, arc4random_uniform, (uint32_t below), (below), )

EXPORT void arc4random_buf(void *out, size_t len)
{
    struct thr *t = self;
    if (!t) {
        real.arc4random_buf(out, len);
        return;
    }
    struct call c = call_begin(t, "arc4random_buf");
    if (call_live(&c)) {
        real.arc4random_buf(out, len);
        CALL_MADE(c, 0);
    }
    call_fills(&c, out, (int64_t)len);
    call_end(&c);
}

/* What the system gave the process to begin with: the same in every run. */
void chance_start(void)
{
    uint8_t *bytes = (uint8_t *)getauxval(AT_RANDOM); /* NOLINT: an address */
    for (int i = 0; bytes && i < 16; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
}

/* The rest of it does not change from day to day. */
EXPORT long sysconf(int name)
{
    struct thr *t = self;
    if (!real.sysconf)
        real_start(); /* a sanitizer of the target may start before us */
    if (!t || (name != _SC_NPROCESSORS_ONLN && name != _SC_NPROCESSORS_CONF &&
               name != _SC_AVPHYS_PAGES))
        return real.sysconf(name);
    struct call c = call_begin(t, "sysconf");
    if (call_live(&c))
        CALL_MADE(c, real.sysconf(name));
    return (long)call_end(&c);
}

CALL(int, getrusage, (__rusage_who_t who, struct rusage *out), (who, out),
     call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0))
CALL(int, sysinfo, (struct sysinfo * out), (out),
     call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0))
CALL(int, getloadavg, (double out[], int count), (out, count),
     call_fills(&c, out, c.result *(int64_t)sizeof *out))
CALL(int, adjtimex, (struct timex * out), (out),
     call_fills(&c, out, c.result >= 0 ? (int64_t)sizeof *out : 0))
CALL(int, sched_getcpu, (void), (), )
CALL(int, get_nprocs, (void), (), )
CALL(long, get_avphys_pages, (void), (), )
CALL(pid_t, getppid, (void), (), )
CALL(pid_t, getpgrp, (void), (), )
CALL(pid_t, getpgid, (pid_t pid), (pid), )
CALL(pid_t, getsid, (pid_t pid), (pid), )

/* libstdc++ asks the processor itself. Where the program contains it, its function is linked
 * and not ours; what the program calls is wrapped then, by the linker (instr/driver.c). */
static unsigned device_value(void *device)
{
    struct thr *t = self;
    if (!t)
        return real.random_device_value(device);
    struct call c = call_begin(t, "random_device");
    if (call_live(&c))
        CALL_MADE(c, real.random_device_value(device));
    return (unsigned)call_end(&c);
}

unsigned random_device_value(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
EXPORT unsigned random_device_value(void *device)
{
    return device_value(device);
}

unsigned random_device_wrapped(void *) __asm__("__wrap__ZNSt13random_device9_M_getvalEv");
EXPORT unsigned random_device_wrapped(void *device)
{
    return device_value(device);
}

/* Always the same: asked once. */
EXPORT pid_t getpid(void)
{
    struct thr *t = self;
    if (!t)
        return sys_getpid();
    if (rt.shown_pid)
        return rt.shown_pid;
    struct call c = call_begin(t, "getpid");
    if (call_live(&c))
        CALL_MADE(c, rt.pid);
    rt.shown_pid = (int)c.result;
    return (pid_t)call_end(&c);
}

EXPORT pid_t gettid(void)
{
    struct thr *t = self;
    if (!t)
        return sys_gettid();
    struct call c = call_begin(t, "gettid");
    if (call_live(&c))
        CALL_MADE(c, t->tid);
    t->shown_tid = (int)c.result;
    return (pid_t)call_end(&c);
}
