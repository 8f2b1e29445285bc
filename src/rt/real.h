/* SPDX-License-Identifier: Apache-2.0
 *
 * real: libc's own versions of the functions we interpose, looked up once at the start. */
#ifndef RT_REAL_H
#define RT_REAL_H

#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <ifaddrs.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/xattr.h>
#include <utime.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

/* The target may call what is out of fashion. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct real {
#define REAL(name) __typeof__(name) *name;
#include "rt/real.def"
#undef REAL
    int (*register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *);
    unsigned (*random_device_value)(void *);
    void (*assert_fail)(const char *, const char *, unsigned, const char *)
        __attribute__((noreturn));
    int (*cxa_guard_acquire)(uint64_t *);
    void (*cxa_guard_release)(uint64_t *);
    void (*cxa_guard_abort)(uint64_t *);
    int (*libc_start_main)(int (*)(int, char **, char **), int, char **, void (*)(void),
                           void (*)(void), void (*)(void), void *);
};
#pragma GCC diagnostic pop

extern struct real real __attribute__((visibility("hidden")));
void real_start(void);

/* glibc's own, which do not go through our malloc. */
void *__libc_malloc(size_t);
void __libc_free(void *);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

#endif
