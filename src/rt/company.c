/* SPDX-License-Identifier: Apache-2.0
 *
 * company: can anybody still send this process a signal, or use an end of its pipes? Where a
 * run has a world of its own, all who could are listed in its /proc: whoever is not there, or
 * is dead, does nothing more. Members of a family are left out, who are asked in turn.c. A
 * signal that was sent already is noted by the thread that gets it; while one of ours is awake
 * that should sleep, it may be about to do so. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>

enum { LIST_BYTES = 4096, STAT_BYTES = 512 };

/* As the kernel fills it in; dirent64 of libc is the same. */
struct entry {
    uint64_t node, next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* The letter for the state of a process or thread; 0: there is none of that name. */
static char state_of(const char *directory, const char *name, char stat[STAT_BYTES])
{
    char path[64];
    struct text text = {path, 0, sizeof path};
    text_put(&text, directory);
    text_put(&text, name);
    text_put(&text, "/stat");
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    long n = sys_call(SYS_read, fd, (long)stat, STAT_BYTES - 1, 0, 0, 0);
    sys_close(fd);
    stat[n > 0 ? n : 0] = 0;
    const char *end = __builtin_strrchr(stat, ')'); /* of its name, which may contain any */
    return end && end[1] == ' ' ? end[2] : 0;
}

/* Has it been stopped, by a signal? */
bool company_is_stopped(int pid)
{
    char stat[STAT_BYTES], name[16];
    struct text text = {name, 0, sizeof name};
    text_number(&text, (uint64_t)pid);
    name[text.len] = 0;
    return state_of("/proc/", name, stat) == 'T';
}

static bool is_gone(char state)
{
    return state == 0 || state == 'Z' || state == 'X';
}

/* Does that hold for all that are numbered there? */
static bool hold_all(const char *directory, bool (*holds)(const char *name, int number))
{
    _Alignas(8) char list[LIST_BYTES];
    bool all = true;
    int fd = sys_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    long bytes = fd < 0 ? -1 : 1;
    while (all && bytes > 0) {
        bytes = sys_call(SYS_getdents64, fd, (long)list, sizeof list, 0, 0, 0);
        for (long at = 0; all && at < bytes;) {
            const struct entry *e = (const struct entry *)(const void *)(list + at);
            CHECK(e->bytes > offsetof(struct entry, name) && e->bytes <= bytes - at);
            int number = 0;
            for (const char *p = e->name; *p >= '0' && *p <= '9'; p++)
                number = number * 10 + (*p - '0');
            all = number == 0 || holds(e->name, number);
            at += e->bytes;
        }
    }
    if (fd >= 0)
        sys_close(fd);
    return all && bytes == 0;
}

static bool is_process_quiet(const char *name, int number)
{
    char stat[STAT_BYTES];
    if (number == rt.pid || turn_has(number))
        return true;
    char state = state_of("/proc/", name, stat);
    return is_gone(state) || (number == 1 && __builtin_strstr(stat, "(heddle-init)"));
}

static bool is_thread_quiet(const char *name, int number)
{
    char stat[STAT_BYTES];
    if (number == sys_gettid())
        return true;
    char state = state_of("/proc/self/task/", name, stat);
    return is_gone(state) || state == 'S';
}

bool company_may_act(void)
{
    char stat[STAT_BYTES];
    if (!(rt.set.apart & APART_OVERLAY) || rt.set.client[0] || rt.play || rt.input.exact ||
        rt.outside_count || rt.signals)
        return true;
    if (!state_of("/proc/", "1", stat) || !__builtin_strstr(stat, "(heddle-init)"))
        return true; /* not the one of this world */
    return !hold_all("/proc", is_process_quiet) ||
           !hold_all("/proc/self/task", is_thread_quiet) ||
           __atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST);
}
