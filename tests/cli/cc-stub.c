/* SPDX-License-Identifier: Apache-2.0
 *
 * A runtime that only writes down what it is told, for the tests of `heddle cc`: one line per
 * hook on stderr if STUB_LOG is set. It complains if a value is not what the memory holds, or
 * if the call depth is wrong. */
#include "heddle/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char __heddle_abi_3 = 3;
struct __heddle_site *__heddle_here;
static const uint8_t always = 1;
const uint8_t *__heddle_news = &always;
static uint32_t depth;
static unsigned wrong;

__attribute__((destructor)) static void end(void)
{
    if (wrong || depth)
        fprintf(stderr, "stub: %u wrong, depth %u\n", wrong, depth);
}

static void say(const char *what, uint64_t number, const struct __heddle_site *s)
{
    const char *file = __heddle_site_text(s, s->file), *slash = strrchr(file, '/');
    const char *name = __heddle_site_text(s, s->name);
    if (!getenv("STUB_LOG"))
        return;
    fprintf(stderr, "%s:%u %s %s %s ", slash ? slash + 1 : file, s->line,
            __heddle_site_text(s, s->function), what, *name ? name : "-");
    if (number >> 32) /* differs from run to run */
        fprintf(stderr, "address\n");
    else
        fprintf(stderr, "%u\n", (unsigned)number);
}

static void expect(const void *addr, uint64_t size, uint64_t value)
{
    if (size <= 8 && memcmp(addr, &value, size) != 0)
        wrong++;
}

static uint64_t at(const void *addr, uint64_t size)
{
    uint64_t value = 0;
    memcpy(&value, addr, size);
    return value;
}

/* A step is always due. */
static const uint8_t cell[8];
static struct __heddle_hot hot = {.shadow = cell};
__thread void *__heddle_self = &hot;

void __heddle_read1(const void *addr, struct __heddle_site *s)
{
    say("read", at(addr, 1), s);
}

void __heddle_read2(const void *addr, struct __heddle_site *s)
{
    say("read", at(addr, 2), s);
}

void __heddle_read4(const void *addr, struct __heddle_site *s)
{
    say("read", at(addr, 4), s);
}

void __heddle_read8(const void *addr, struct __heddle_site *s)
{
    say("read", at(addr, 8), s);
}

void __heddle_write1(void *addr, uint64_t value, struct __heddle_site *s)
{
    at(addr, 1);
    say("write", value, s);
}

void __heddle_write2(void *addr, uint64_t value, struct __heddle_site *s)
{
    at(addr, 2);
    say("write", value, s);
}

void __heddle_write4(void *addr, uint64_t value, struct __heddle_site *s)
{
    at(addr, 4);
    say("write", value, s);
}

void __heddle_write8(void *addr, uint64_t value, struct __heddle_site *s)
{
    at(addr, 8);
    say("write", value, s);
}

#define TOLD(bytes)                                                                      \
    void __heddle_told_read##bytes(const void *addr, struct __heddle_site *s)            \
    {                                                                                    \
        __heddle_branch(1, s);                                                           \
        __heddle_read##bytes(addr, s);                                                   \
    }                                                                                    \
    void __heddle_told_write##bytes(void *addr, uint64_t value, struct __heddle_site *s) \
    {                                                                                    \
        __heddle_branch(1, s);                                                           \
        __heddle_write##bytes(addr, value, s);                                           \
    }
TOLD(1)
TOLD(2)
TOLD(4)
TOLD(8)

#define SEEN(bytes)                                                                        \
    void __heddle_read##bytes##_seen(void *now, const void *addr, struct __heddle_site *s) \
    {                                                                                      \
        wrong += now != &hot;                                                              \
        __heddle_read##bytes(addr, s);                                                     \
    }                                                                                      \
    void __heddle_write##bytes##_seen(void *now, void *addr, uint64_t value,               \
                                      struct __heddle_site *s)                             \
    {                                                                                      \
        wrong += now != &hot;                                                              \
        __heddle_write##bytes(addr, value, s);                                             \
    }
SEEN(1)
SEEN(2)
SEEN(4)
SEEN(8)

void __heddle_read_range(const void *addr, uint64_t len, struct __heddle_site *s)
{
    if (len)
        at((const char *)addr + len - 1, 1);
    say("read-range", len, s);
}

void __heddle_write_begin(void *addr, uint64_t len, struct __heddle_site *s)
{
    if (len)
        at((const char *)addr + len - 1, 1);
    say("write-begin", len, s);
}

void __heddle_write_range(void *addr, uint64_t len, struct __heddle_site *s)
{
    (void)addr;
    say("write-range", len, s);
}

void __heddle_atomic_point(void *addr, uint32_t how, uint64_t expected, struct __heddle_site *s)
{
    (void)how;
    (void)expected;
    at(addr, 1);
    say("point", 0, s);
}

void __heddle_atomic_load(void *addr, uint32_t size, uint64_t value, uint32_t order,
                          struct __heddle_site *s)
{
    expect(addr, size, value);
    say("load", order, s);
}

void __heddle_atomic_store(void *addr, uint32_t size, uint64_t value, uint32_t order,
                           struct __heddle_site *s)
{
    expect(addr, size, value);
    say("store", order, s);
}

void __heddle_rmw(void *addr, uint32_t size, uint64_t before, uint64_t after, uint32_t order,
                  struct __heddle_site *s)
{
    (void)before;
    expect(addr, size, after);
    say("rmw", order, s);
}

void __heddle_cas(void *addr, uint32_t size, uint64_t seen, uint64_t wanted, uint32_t stored,
                  uint32_t order, struct __heddle_site *s)
{
    expect(addr, size, stored ? wanted : seen);
    say(stored ? "cas" : "cas-failed", order, s);
}

void __heddle_fence(uint32_t order, struct __heddle_site *s)
{
    say("fence", order, s);
}

void __heddle_branch(uint32_t why, struct __heddle_site *s)
{
    say("branch", why, s);
}

/* Only windows are told. */
void __heddle_result(uint64_t value, struct __heddle_site *s)
{
    (void)value;
    (void)s;
}

uint32_t __heddle_enter(struct __heddle_site *s)
{
    say("enter", depth, s);
    return depth++;
}

void __heddle_leave(uint32_t saved, struct __heddle_site *s)
{
    wrong += depth != saved + 1;
    depth = saved;
    say("leave", depth, s);
}

void __heddle_resume(uint32_t saved)
{
    depth = saved + 1;
}

void __heddle_stack_enter(void *addr, uint64_t len, struct __heddle_site *s)
{
    (void)addr;
    say("stack-enter", len, s);
}

void __heddle_stack_leave(void *addr, uint64_t len, struct __heddle_site *s)
{
    (void)addr, (void)len;
    say("stack-leave", 0, s);
}

uint64_t __heddle_hash(const void *addr, uint64_t len)
{
    (void)addr;
    return len;
}

void __heddle_pause(struct __heddle_site *s)
{
    say("pause", 0, s);
}

void __heddle_unseen(struct __heddle_site *s)
{
    say("unseen", 0, s);
}

/* What compiled functions of libstdc++ do to memory is not looked at here. */
void __heddle_compare_begin(void *addr, uint64_t len, struct __heddle_site *s)
{
    (void)addr, (void)len, (void)s;
}

void __heddle_compare(void *addr, uint64_t len, struct __heddle_site *s)
{
    (void)addr, (void)len, (void)s;
}

void *__heddle_stream(const char *stream, uint32_t is_input)
{
    (void)stream, (void)is_input;
    return NULL;
}
