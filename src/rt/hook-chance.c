/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-chance: what is different from run to run although nobody asked for it: random numbers,
 * and how the machine is doing. Random numbers are drawn from a stream that each
 * thread has by its place in the family of threads, the same in every run: whoever makes the
 * same calls gets the same. The rest is logged, so that a replay sees it again. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/timex.h>
#include <unistd.h>

/* ---- random numbers -------------------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Processes of one family must not draw the same. */
static uint64_t family_name(void)
{
    uint64_t h = 0x6368616e6365ULL;
    for (const char *p = rt.set.family ? rt.set.dir : ""; *p; p++)
        h = *p == '/' ? 0x6368616e6365ULL : (h ^ (uint8_t)*p) * 0x100000001b3ULL;
    return mix(h);
}

void chance_born(struct thr *t)
{
    const struct thr *parent = t->parent == NO_ID ? NULL : &rt.threads[t->parent];
    t->chance_name = parent ? mix(parent->chance_name + t->spawn + 1) : family_name();
    t->chance = t->chance_name;
}

uint64_t chance_next(struct thr *t)
{
    return mix(t->chance += 0x9e3779b97f4a7c15ULL);
}

void chance_fill(struct thr *t, void *out, size_t len)
{
    for (size_t at = 0; at < len; at += 8) {
        uint64_t value = chance_next(t);
        __builtin_memcpy((char *)out + at, &value, len - at < 8 ? len - at : 8);
    }
}

static ssize_t draw(struct thr *t, void *out, size_t len)
{
    enum { DRAW_MAX = 33554431 }; /* as the kernel */
    size_t drawn = len < DRAW_MAX ? len : DRAW_MAX;
    chance_fill(t, out, drawn);
    return (ssize_t)drawn;
}

/* From a descriptor that may be one of /dev/random. */
ssize_t chance_read(struct thr *t, int fd, void *out, size_t len)
{
    return descriptor_is_random(fd) ? draw(t, out, len) : real.read(fd, out, len);
}

EXPORT ssize_t getrandom(void *out, size_t len, unsigned flags)
{
    struct thr *t = self;
    if (!t)
        return real.getrandom(out, len, flags);
    struct call c = call_begin(t, "getrandom");
    bool is_valid = !(flags & ~(unsigned)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE));
    if (call_live(&c))
        CALL_MADE(c, is_valid ? draw(t, out, len) : real.getrandom(out, len, flags));
    call_fills(&c, out, c.result);
    return (ssize_t)call_end(&c);
}

EXPORT int getentropy(void *out, size_t len)
{
    struct thr *t = self;
    enum { ENTROPY_MAX = 256 };
    if (!t)
        return real.getentropy(out, len);
    struct call c = call_begin(t, "getentropy");
    if (call_live(&c))
        CALL_MADE(c, len > ENTROPY_MAX ? real.getentropy(out, len) : draw(t, out, len) * 0);
    call_fills(&c, out, c.result == 0 ? (int64_t)len : 0);
    return (int)call_end(&c);
}

static uint32_t draw_word(struct thr *t, const char *name, uint32_t below)
{
    struct call c = call_begin(t, name);
    if (call_live(&c))
        CALL_MADE(c, below ? chance_next(t) % below : (uint32_t)chance_next(t));
    return (uint32_t)call_end(&c);
}

EXPORT uint32_t arc4random(void)
{
    return self ? draw_word(self, "arc4random", 0) : real.arc4random();
}

EXPORT uint32_t arc4random_uniform(uint32_t below)
{
    if (!self)
        return real.arc4random_uniform(below);
    return draw_word(self, "arc4random_uniform", below ? below : 1);
}

EXPORT void arc4random_buf(void *out, size_t len)
{
    struct thr *t = self;
    if (!t) {
        real.arc4random_buf(out, len);
        return;
    }
    struct call c = call_begin(t, "arc4random_buf");
    if (call_live(&c)) {
        chance_fill(t, out, len);
        CALL_MADE(c, 0);
    }
    call_fills(&c, out, (int64_t)len);
    call_end(&c);
}

/* ---- the rest -------------------------------------------------------------------------- */

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
CALL(int, get_nprocs, (void), (), )
CALL(long, get_avphys_pages, (void), (), )
CALL(pid_t, getppid, (void), (), )
CALL(pid_t, getpgrp, (void), (), )
CALL(pid_t, getpgid, (pid_t pid), (pid), )
CALL(pid_t, getsid, (pid_t pid), (pid), )

/* ---- C++ ------------------------------------------------------------------------------- */

/* libstdc++ asks the processor itself. Where the program contains it, its function is linked
 * and not ours; what the program calls is wrapped then, by the linker (instr/driver.c). */
static unsigned device_value(void *device)
{
    struct thr *t = self;
    if (!t)
        return real.random_device_value(device);
    struct call c = call_begin(t, "random_device");
    if (call_live(&c))
        CALL_MADE(c, (uint32_t)chance_next(t));
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
