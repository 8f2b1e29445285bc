/* SPDX-License-Identifier: Apache-2.0
 *
 * real: who would have been called without us. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

struct real real;

/* A function pointer is not an object pointer; POSIX says it may be treated as one. */
static void find(void *slot, const char *name)
{
    void *p = dlsym(RTLD_NEXT, name);
    __builtin_memcpy(slot, &p, sizeof p);
}

/* ---- without a libstdc++ of its own --------------------------------------------------- *
 * In a program that contains libstdc++ (-static-libstdc++) our functions are linked instead of
 * its: there are no others. A guard's first byte says that the object is there, its second that
 * somebody makes it. */

static int guard_acquire(uint64_t *guard)
{
    uint8_t *byte = (uint8_t *)guard;
    while (!__atomic_load_n(&byte[0], __ATOMIC_ACQUIRE)) {
        if (!__atomic_exchange_n(&byte[1], 1, __ATOMIC_ACQUIRE)) {
            if (!__atomic_load_n(&byte[0], __ATOMIC_ACQUIRE))
                return 1;
            __atomic_store_n(&byte[1], 0, __ATOMIC_RELEASE);
            return 0;
        }
        sys_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
    return 0;
}

static void guard_abort(uint64_t *guard)
{
    __atomic_store_n((uint8_t *)guard + 1, 0, __ATOMIC_RELEASE);
}

static void guard_release(uint64_t *guard)
{
    __atomic_store_n((uint8_t *)guard, 1, __ATOMIC_RELEASE);
    guard_abort(guard);
}

static unsigned random_value(void *device)
{
    unsigned value = 0;
    (void)device;
    sys_call(SYS_getrandom, (long)&value, sizeof value, 0, 0, 0, 0);
    return value;
}

void real_start(void)
{
#define REAL(name) find(&real.name, #name);
#include "rt/real.def"
#undef REAL
    find(&real.register_atfork, "__register_atfork");
    find(&real.random_device_value, "_ZNSt13random_device9_M_getvalEv");
    find(&real.assert_fail, "__assert_fail");
    find(&real.cxa_guard_acquire, "__cxa_guard_acquire");
    find(&real.cxa_guard_release, "__cxa_guard_release");
    find(&real.cxa_guard_abort, "__cxa_guard_abort");
    find(&real.libc_start_main, "__libc_start_main");
    if (!real.random_device_value)
        real.random_device_value = random_value;
    if (!real.cxa_guard_acquire) {
        real.cxa_guard_acquire = guard_acquire;
        real.cxa_guard_release = guard_release;
        real.cxa_guard_abort = guard_abort;
    }
}
