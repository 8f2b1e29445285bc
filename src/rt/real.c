/* SPDX-License-Identifier: Apache-2.0
 *
 * real: who would have been called without us. */
#include "rt/rt.h"
#include "rt/real.h"

struct real real;

/* A function pointer is not an object pointer; POSIX says it may be treated as one. */
static void find(void *slot, const char *name)
{
    void *p = dlsym(RTLD_NEXT, name);
    __builtin_memcpy(slot, &p, sizeof p);
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
    find(&real.hash_bytes, "_ZSt11_Hash_bytesPKvmm");
    find(&real.libc_start_main, "__libc_start_main");
}
