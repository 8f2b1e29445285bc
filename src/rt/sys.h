/* SPDX-License-Identifier: Apache-2.0
 *
 * sys: the few system calls the runtime makes for itself. They leave errno alone. */
#ifndef RT_SYS_H
#define RT_SYS_H

#include "rt/arch-x86_64.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

/* ns == UINT64_MAX: for ever. */
static inline long sys_futex_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
    struct timespec span = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return sys_call(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value,
                    ns == UINT64_MAX ? 0 : (long)&span, 0, 0);
}

static inline void sys_futex_wake(uint32_t *word)
{
    sys_call(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static inline int sys_open(const char *path, int flags, int mode)
{
    return (int)sys_call(SYS_open, (long)path, flags, mode, 0, 0, 0);
}

static inline void sys_close(int fd)
{
    sys_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long sys_write(int fd, const void *p, uint64_t len)
{
    return sys_call(SYS_write, fd, (long)p, (long)len, 0, 0, 0);
}

static inline long sys_pwrite(int fd, const void *p, uint64_t len, uint64_t offset)
{
    return sys_call(SYS_pwrite64, fd, (long)p, (long)len, (long)offset, 0, 0);
}

static inline long sys_truncate(int fd, uint64_t len)
{
    return sys_call(SYS_ftruncate, fd, (long)len, 0, 0, 0, 0);
}

static inline long sys_allocate(int fd, uint64_t offset, uint64_t len)
{
    return sys_call(SYS_fallocate, fd, 0, (long)offset, (long)len, 0, 0);
}

/* NULL if it cannot be. */
static inline void *sys_map(void *where, uint64_t len, int prot, int flags, int fd,
                            uint64_t offset)
{
    long p = sys_call(SYS_mmap, (long)where, (long)len, prot, flags, fd, (long)offset);
    return p < 0 && p > -4096 ? (void *)0 : (void *)p;
}

static inline void sys_unmap(void *p, uint64_t len)
{
    sys_call(SYS_munmap, (long)p, (long)len, 0, 0, 0, 0);
}

static inline int sys_getpid(void)
{
    return (int)sys_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int sys_gettid(void)
{
    return (int)sys_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline void sys_tgkill(int pid, int tid, int signal)
{
    sys_call(SYS_tgkill, pid, tid, signal, 0, 0, 0);
}

__attribute__((noreturn)) static inline void sys_exit(int code)
{
    for (;;)
        sys_call(SYS_exit_group, code, 0, 0, 0, 0, 0);
}

#endif
