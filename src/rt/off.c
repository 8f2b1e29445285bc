/* SPDX-License-Identifier: Apache-2.0
 *
 * off: what a program that is linked with -static gets instead of the runtime. There libc's own
 * functions cannot be had beside ours, so nothing can be scheduled. The program works as if it
 * had been built by clang; `heddle run` is told what to do. */
#include "heddle/abi.h"
#include "rt/arch-x86_64.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define OFF(name, ...) \
    void __heddle_##name(__VA_ARGS__) {}

struct __heddle_site *__heddle_here;
const char __heddle_abi_3 = 3;
static const uint8_t never;
const uint8_t *__heddle_news = &never;

__thread void *__heddle_self __attribute__((tls_model("initial-exec")));

#define OFF_SEEN(bytes)                                                   \
    OFF(read##bytes##_seen, void *, const void *, struct __heddle_site *) \
    OFF(write##bytes##_seen, void *, void *, uint64_t, struct __heddle_site *)
OFF_SEEN(1)
OFF_SEEN(2)
OFF_SEEN(4)
OFF_SEEN(8)
OFF(read1, const void *, struct __heddle_site *)
OFF(read2, const void *, struct __heddle_site *)
OFF(read4, const void *, struct __heddle_site *)
OFF(read8, const void *, struct __heddle_site *)
OFF(write1, void *, uint64_t, struct __heddle_site *)
OFF(write2, void *, uint64_t, struct __heddle_site *)
OFF(write4, void *, uint64_t, struct __heddle_site *)
OFF(write8, void *, uint64_t, struct __heddle_site *)
OFF(told_read1, const void *, struct __heddle_site *)
OFF(told_read2, const void *, struct __heddle_site *)
OFF(told_read4, const void *, struct __heddle_site *)
OFF(told_read8, const void *, struct __heddle_site *)
OFF(told_write1, void *, uint64_t, struct __heddle_site *)
OFF(told_write2, void *, uint64_t, struct __heddle_site *)
OFF(told_write4, void *, uint64_t, struct __heddle_site *)
OFF(told_write8, void *, uint64_t, struct __heddle_site *)
OFF(table, void *, uint64_t, struct __heddle_site *)
OFF(read_range, const void *, uint64_t, struct __heddle_site *)
OFF(write_begin, void *, uint64_t, struct __heddle_site *)
OFF(write_range, void *, uint64_t, struct __heddle_site *)
OFF(compare_begin, void *, uint64_t, struct __heddle_site *)
OFF(compare, void *, uint64_t, struct __heddle_site *)
OFF(libc_begin, const char *, struct __heddle_args *, struct __heddle_site *)
OFF(libc_end, const char *, struct __heddle_args *, int64_t, struct __heddle_site *)
OFF(read_lanes, const void *, uint32_t, uint64_t, struct __heddle_site *)
OFF(write_lanes, void *, uint32_t, uint64_t, uint32_t, struct __heddle_site *)
OFF(atomic_point, void *, uint32_t, uint64_t, struct __heddle_site *)
OFF(atomic_load, void *, uint32_t, uint64_t, uint32_t, struct __heddle_site *)
OFF(atomic_store, void *, uint32_t, uint64_t, uint32_t, struct __heddle_site *)
OFF(rmw, void *, uint32_t, uint64_t, uint64_t, uint32_t, struct __heddle_site *)
OFF(cas, void *, uint32_t, uint64_t, uint64_t, uint32_t, uint32_t, struct __heddle_site *)
OFF(fence, uint32_t, struct __heddle_site *)
OFF(branch, uint32_t, struct __heddle_site *)
OFF(result, uint64_t, struct __heddle_site *)
OFF(leave, uint32_t, struct __heddle_site *)
OFF(resume, uint32_t)
OFF(stack_enter, void *, uint64_t, struct __heddle_site *)
OFF(stack_leave, void *, uint64_t, struct __heddle_site *)
OFF(unseen, struct __heddle_site *)
OFF(pause, struct __heddle_site *)

uint32_t __heddle_enter(struct __heddle_site *site)
{
    (void)site;
    return 0;
}

void *__heddle_stream(const char *stream, uint32_t is_input)
{
    (void)stream, (void)is_input;
    return NULL;
}

uint64_t __heddle_cpu_stamp(void)
{
    return arch_stamp();
}

uint32_t __heddle_cpu_number(void)
{
    return (uint32_t)sched_getcpu();
}

uint64_t __heddle_cpu_random(void)
{
    uint64_t value = 0;
    while (getrandom(&value, sizeof value, 0) < 0)
        ;
    return value;
}

uint64_t __heddle_cpu_id(uint32_t leaf, uint32_t sub, uint32_t upper)
{
    uint32_t out[4];
    arch_cpuid(leaf, sub, out);
    return upper ? (uint64_t)out[3] << 32 | out[2] : (uint64_t)out[1] << 32 | out[0];
}

uint64_t __heddle_request(const uint64_t *args, uint64_t answer)
{
    (void)args;
    return answer;
}

uint64_t __heddle_hash(const void *addr, uint64_t len)
{
    (void)addr, (void)len;
    return 0;
}

static void __attribute__((constructor)) refuse(void)
{
    static const char text[] =
        "heddle: unsupported: the program was linked with -static; link it without\n";
    if (!getenv("HEDDLE_RT"))
        return;
    ssize_t unheard = write(STDERR_FILENO, text, sizeof text - 1);
    (void)unheard;
    _exit(4);
}
