/* SPDX-License-Identifier: Apache-2.0
 *
 * place: what a program does with addresses that the system chooses. The system moves whole
 * pages, so that the lower bits of an address are the same in every run, with two exceptions:
 * the first thread's stack begins anywhere, and the handle of a thread is an address of which
 * std::hash uses all bits. libstdc++ chooses by both: atomic::wait, and what is built on it, a
 * place to wait at by bits 2 to 5 of the address, std::barrier one by the thread's hash. */
#include "rt/rt.h"
#include "rt/real.h"

#include <alloca.h>

enum { PAGE = 4096 };

typedef int main_fn(int, char **, char **);

/* Everything that is called from here stands at the same place of its page in every run:
 * constructors, main, and what runs at exit. */
int __libc_start_main(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                      void *);
EXPORT int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*linker_fini)(void), void *stack_end)
{
    char *skipped = alloca((uintptr_t)__builtin_frame_address(0) % PAGE);
    __asm__ volatile("" : : "r"(skipped) : "memory"); /* or the compiler leaves it out */
    return real.libc_start_main(main, argc, argv, init, fini, linker_fini, stack_end);
}

/* The first thread that had this handle; a later one may get it again, and has its hash. */
static const struct thr *first_with(uint64_t handle)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if ((uint64_t)rt.threads[i].handle == handle)
            return &rt.threads[i];
    return NULL;
}

/* std::_Hash_bytes, to which std::hash<std::thread::id> gives the handle. */
size_t hash_bytes(const void *bytes, size_t len, size_t seed) __asm__("_ZSt11_Hash_bytesPKvmm");
EXPORT size_t hash_bytes(const void *bytes, size_t len, size_t seed)
{
    uint64_t handle;
    if (len != sizeof handle || !self)
        return real.hash_bytes(bytes, len, seed);
    __builtin_memcpy(&handle, bytes, sizeof handle);
    const struct thr *t = first_with(handle);
    if (!t)
        return real.hash_bytes(bytes, len, seed);
    uint64_t number = t->id + 1;
    return real.hash_bytes(&number, sizeof number, seed);
}
