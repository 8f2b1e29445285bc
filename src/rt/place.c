/* SPDX-License-Identifier: Apache-2.0
 *
 * place: what a program does with addresses that the system chooses. The system moves whole
 * pages, so that the lower bits of an address are the same in every run, with two exceptions:
 * the first thread's stack begins anywhere, and std::hash makes a number of all the bits of an
 * address, such as the handle of a thread. libstdc++ chooses by both: atomic::wait, and what is
 * built on it, a place to wait at by bits 2 to 5, std::barrier one by the thread's hash. */
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

/* ---- hashes of addresses ----------------------------------------------------------------- */

#define WHERE 0x1000e0000000ULL   /* between other things of ours: memory.c */
#define ADDRESS_FROM (1ULL << 32) /* a smaller number is no address */
#define ADDRESS_END (1ULL << 47)
enum { SLOTS = 1 << 20, NUMBERS_MAX = SLOTS / 2 };

struct numbered {
    uint64_t address; /* 0: unused */
    uint64_t number;
};

/* Addresses that were hashed are numbered as they come, which is the same order in every run.
 * One that is used again for something else keeps its number, as it keeps its hash. */
static uint64_t number_of(uint64_t address)
{
    static struct numbered *table;
    static uint64_t count;
    if (!table)
        table = memory_reserve(WHERE, SLOTS * sizeof *table);
    if (!table)
        return 0;
    uint32_t i = (uint32_t)((address * 0x9e3779b97f4a7c15ULL) >> 44);
    while (table[i].address && table[i].address != address)
        i = (i + 1) % SLOTS;
    if (!table[i].address && count < NUMBERS_MAX)
        table[i] = (struct numbered){address, ++count};
    return table[i].number;
}

static uint64_t mixed(uint64_t value)
{
    return value ^ (value >> 47);
}

/* MurmurHash64A by Austin Appleby: what libstdc++ uses, and programs may print. */
static size_t murmur(const uint8_t *at, size_t len, size_t seed)
{
    const uint64_t factor = 0xc6a4a7935bd1e995ULL;
    uint64_t hash = seed ^ (len * factor), word = 0;
    for (; len >= sizeof word; at += sizeof word, len -= sizeof word) {
        __builtin_memcpy(&word, at, sizeof word);
        hash = (hash ^ (mixed(word * factor) * factor)) * factor;
    }
    if (len) {
        word = 0;
        __builtin_memcpy(&word, at, len);
        hash = (hash ^ word) * factor;
    }
    return mixed(mixed(hash) * factor);
}

/* std::_Hash_bytes: std::hash gives it the ids of threads, libstdc++ itself the addresses by
 * which it chooses one of a few mutexes (for shared_ptr and syncbuf). */
size_t hash_bytes(const void *bytes, size_t len, size_t seed) __asm__("_ZSt11_Hash_bytesPKvmm");
EXPORT size_t hash_bytes(const void *bytes, size_t len, size_t seed)
{
    uint64_t address, number = 0;
    if (len == sizeof address && self) {
        __builtin_memcpy(&address, bytes, sizeof address);
        if (address >= ADDRESS_FROM && address < ADDRESS_END)
            number = number_of(address);
    }
    return murmur(number ? (const uint8_t *)&number : bytes, len, seed);
}
