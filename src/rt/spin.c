/* SPDX-License-Identifier: Apache-2.0
 *
 * spin: loops that wait for what the scheduler cannot see change. One that makes no step at all
 * (it spins in code that is not instrumented, or computes) keeps the token for ever; one that
 * looks at memory which other processes may write is no livelock. Neither says anything about
 * the program, and the run says so. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <time.h>

enum {
    PROBE_NS = 300000000, /* between two looks at one that makes no step */
    MAPS_BYTES = 1 << 16,
};

/* ---- no step ------------------------------------------------------------------------- */

/* A timer of the system's asks from time to time, once a run takes very long. */
void spin_start(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU};
    struct itimerspec when = {.it_interval = {0, PROBE_NS},
                              .it_value = {(time_t)(rt.set.stall_ms / 1000),
                                           (long)(rt.set.stall_ms % 1000 * 1000000)}};
    int timer;
    if (rt.set.stall_ms &&
        sys_call(SYS_timer_create, CLOCK_MONOTONIC, (long)&event, (long)&timer, 0, 0, 0) == 0)
        sys_call(SYS_timer_settime, timer, 0, (long)&when, 0, 0, 0);
}

static uint64_t thread_cpu_ns(void)
{
    struct timespec now;
    sys_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In the thread that has the token. True: it has worked since the last time, without a step,
 * and others are there that it may wait for. */
bool spin_probe(const struct thr *t)
{
    uint64_t steps = sched_steps(), cpu_ns = thread_cpu_ns();
    bool is_same =
        t && t == rt.spin.probed && t->state == THR_RUNNING && steps == rt.spin.probed_steps;
    bool is_busy = is_same && cpu_ns >= rt.spin.probed_ns + PROBE_NS / 2;
    if (!is_same || is_busy) {
        rt.spin.probed = t;
        rt.spin.probed_steps = steps;
        rt.spin.probed_ns = cpu_ns;
    }
    return is_busy && rt.live_count > 1;
}

/* ---- memory of others ---------------------------------------------------------------- */

static const char *hex(const char *s, uint64_t *out)
{
    uint64_t n = 0;
    for (;; s++) {
        unsigned digit = *s >= '0' && *s <= '9'   ? (unsigned)(*s - '0')
                         : *s >= 'a' && *s <= 'f' ? (unsigned)(*s - 'a' + 10)
                                                  : 16;
        if (digit == 16)
            break;
        n = n << 4 | digit;
    }
    *out = n;
    return s;
}

static bool watches(const struct thr *t, uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < t->watched_count; i++)
        if (t->watched_addr[i] >= low && t->watched_addr[i] < high)
            return true;
    return false;
}

static const struct thr *watcher_of(uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (rt.threads[i].state == THR_SPINNING && watches(&rt.threads[i], low, high))
            return &rt.threads[i];
    return NULL;
}

/* "7f00-7f10 rw-s 00000000 00:01 12 /dev/shm/x": who spins on memory that it shares? */
static const struct thr *spins_on(const char *line)
{
    uint64_t low, high;
    const char *at = hex(line, &low);
    if (*at != '-')
        return NULL;
    at = hex(at + 1, &high);
    bool is_shared = at[0] == ' ' && at[1] && at[2] && at[3] && at[4] == 's';
    return is_shared ? watcher_of(low, high) : NULL;
}

/* A thread that spins on memory that other processes may have too; null: none does. */
const struct thr *spin_on_shared(void)
{
    static char maps[MAPS_BYTES];
    int fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    const struct thr *found = NULL;
    uint32_t have = 0;
    while (fd >= 0 && !found) {
        long n = sys_call(SYS_read, fd, (long)(maps + have), MAPS_BYTES - 1 - have, 0, 0, 0);
        if (n <= 0)
            break;
        maps[have += (uint32_t)n] = 0;
        char *line = maps, *end;
        while (!found && (end = __builtin_strchr(line, '\n'))) {
            found = spins_on(line);
            line = end + 1;
        }
        have -= (uint32_t)(line - maps);
        __builtin_memmove(maps, line, have);
    }
    if (fd >= 0)
        sys_close(fd);
    return found;
}
