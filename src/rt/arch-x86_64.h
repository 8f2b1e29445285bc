/* SPDX-License-Identifier: Apache-2.0
 *
 * arch-x86_64: system calls without libc, which would touch errno and be interposed; what a
 * signal interrupted; what the processor tells. */
#ifndef RT_ARCH_H
#define RT_ARCH_H

#include <stdint.h>
#include <ucontext.h>

static inline long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline uint64_t arch_stamp(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* eax, ebx, ecx, edx */
static inline void arch_cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                     : "0"(leaf), "2"(sub));
}

static inline uint64_t arch_stack_pointer(const void *context)
{
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
}

/* Of what setjmp has kept: the stack pointer, as glibc veils it. */
static inline uint64_t arch_jump_stack(const long *kept)
{
    uint64_t veiled = (uint64_t)kept[6], veil;
    __asm__("movq %%fs:0x30, %0" : "=r"(veil));
    return (veiled >> 17 | veiled << 47) ^ veil;
}

#endif
