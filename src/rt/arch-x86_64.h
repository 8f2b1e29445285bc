/* SPDX-License-Identifier: Apache-2.0
 *
 * arch-x86_64: system calls without libc, which would touch errno and be interposed. */
#ifndef RT_ARCH_H
#define RT_ARCH_H

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

#endif
