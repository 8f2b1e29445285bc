/* SPDX-License-Identifier: Apache-2.0
 *
 * abi: what instrumented code and the runtime agree on. The compiler emits calls of these
 * functions and tables of these structs; the runtime defines the functions. Objects of one
 * version must be linked with the runtime of the same version: HEDDLE_ABI is part of the name
 * of a symbol that every unit refers to, so that a mismatch is a link error that says so.
 *
 * Exactly one thread of the target runs at a time. A hook before an access is a point: another
 * thread may run there, and by the time the hook returns it is this thread's turn again, so
 * that what the hook saw is what the access will see. */
#ifndef HEDDLE_ABI_H
#define HEDDLE_ABI_H

#include <stdint.h>

#define HEDDLE_ABI 3

/* One per translation unit, in section "heddle_units". */
struct __heddle_unit {
    uint32_t number;    /* run time: which one of the trace + 1; 0 = not met yet */
    uint32_t flags;     /* HEDDLE_UNIT_... */
    const char *source; /* as the compiler was told */
    const char *directory;
    const char *command;     /* the compiler's command line, arguments separated by '\n' */
    const char *texts;       /* of its sites, one behind the other; the first one is empty */
    const uint32_t *depends; /* of its sites */
};

enum {
    HEDDLE_UNIT_BRANCHES = 1, /* branch events are complete in it */
};

/* One per instrumented instruction, in section "heddle_sites" (writable: the runtime numbers
 * a site when it is first met). The sites of a function stand together. Texts are said by their
 * distances and the unit by the first site alone: pointers cost a linker's note each, three
 * times their size in an object. */
struct __heddle_site {
    uint32_t id;      /* run time: number in the trace + 1; 0 = not met yet */
    uint32_t ordinal; /* in its unit */
    uint32_t line;
    uint16_t column;
    uint16_t depends_count;
    uint32_t statement;     /* same number in one function: same statement */
    uint32_t flags;         /* HEDDLE_SITE_... */
    int32_t file, function; /* in the unit's texts */
    int32_t name;           /* the same: variable or field; "" if unknown */
    uint32_t depends; /* in the unit's list: ordinals in it whose values may reach this one */
    struct __heddle_unit *unit; /* NULL: that of the site before */
};

static inline struct __heddle_unit *__heddle_site_unit(const struct __heddle_site *site)
{
    while (!site->unit)
        site--;
    return site->unit;
}

static inline const char *__heddle_site_text(const struct __heddle_site *site, int32_t at)
{
    return __heddle_site_unit(site)->texts + at;
}

enum {
    HEDDLE_SITE_PRIVATE = 1, /* known not to matter to other threads: never recorded */
    HEDDLE_SITE_NAMED = 2,   /* run time: the outcome names it as not seen */
    HEDDLE_SITE_ACCESS = 4,  /* of memory that may be shared: recorded whenever it is done */
    HEDDLE_SITE_UNKNOWN = 8, /* a call of a function that is not described */
    HEDDLE_SITE_VOLATILE = 16,
    /* run time: policy targeted knows it, and it is one of its sites */
    HEDDLE_SITE_SEEN = 1 << 30,
    HEDDLE_SITE_TARGET = 1 << 29,
};

/* One per global variable that may be shared, in section "heddle_globals". */
struct __heddle_global {
    const void *addr;
    uint64_t size;
    const char *name;
    uint32_t is_tls;  /* addr is then meaningless */
    uint32_t element; /* bytes of each element of an array; 0: it is none */
};

/* What instrumented code looks at before a plain access: the first part of what belongs to the
 * thread that runs; null if it is not recorded. Every access is a step. One is of no interest
 * if no step is due and the cell of its aligned address (the eight bytes at shadow + (address &
 * shadow_mask)) is the thread's own: both halves for a write, which is also noted as the last
 * one; the second half for a read. */
struct __heddle_hot {
    uint64_t step;       /* hooks it went through */
    uint64_t until;      /* the step at which the scheduler wants a word */
    uint64_t last_write; /* step of the last change it made */
    uint32_t own_w, own_r;
    const uint8_t *shadow;
    uint64_t shadow_mask;
};

/* Otherwise one of these is called, with the step counted. */
void __heddle_read1_seen(void *hot, const void *addr, struct __heddle_site *site);
void __heddle_read2_seen(void *hot, const void *addr, struct __heddle_site *site);
void __heddle_read4_seen(void *hot, const void *addr, struct __heddle_site *site);
void __heddle_read8_seen(void *hot, const void *addr, struct __heddle_site *site);
void __heddle_write1_seen(void *hot, void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_write2_seen(void *hot, void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_write4_seen(void *hot, void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_write8_seen(void *hot, void *addr, uint64_t value, struct __heddle_site *site);

/* The same as a whole. Before a plain load; the hook looks at the memory itself. */
void __heddle_read1(const void *addr, struct __heddle_site *site);
void __heddle_read2(const void *addr, struct __heddle_site *site);
void __heddle_read4(const void *addr, struct __heddle_site *site);
void __heddle_read8(const void *addr, struct __heddle_site *site);
/* Before a plain store; floating point and pointers come as their bits, zero-extended. */
void __heddle_write1(void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_write2(void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_write4(void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_write8(void *addr, uint64_t value, struct __heddle_site *site);

/* The same behind __heddle_branch 1: the address may depend on what was read. */
void __heddle_told_read1(const void *addr, struct __heddle_site *site);
void __heddle_told_read2(const void *addr, struct __heddle_site *site);
void __heddle_told_read4(const void *addr, struct __heddle_site *site);
void __heddle_told_read8(const void *addr, struct __heddle_site *site);
void __heddle_told_write1(void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_told_write2(void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_told_write4(void *addr, uint64_t value, struct __heddle_site *site);
void __heddle_told_write8(void *addr, uint64_t value, struct __heddle_site *site);

/* Before a store of an object's table of virtual functions: who finds there what it is about to
 * write has read it, and no more. */
void __heddle_table(void *addr, uint64_t value, struct __heddle_site *site);

/* Other sizes, vectors, memcpy and friends. A range is read before the operation; it is
 * announced before it is written (a point) and recorded after it (with its contents). */
void __heddle_read_range(const void *addr, uint64_t len, struct __heddle_site *site);
void __heddle_write_begin(void *addr, uint64_t len, struct __heddle_site *site);
void __heddle_write_range(void *addr, uint64_t len, struct __heddle_site *site);
/* Before and behind a call: what is another one there has been written. A point for each word,
 * behind the call; the first one is no step. */
void __heddle_compare_begin(void *addr, uint64_t len, struct __heddle_site *site);
void __heddle_compare(void *addr, uint64_t len, struct __heddle_site *site);
/* What a call of a C++ stream writes: the place in its buffer, or NULL. */
void *__heddle_stream(const char *stream, uint32_t is_input);

/* Around a call of the C library whose accesses follow from its arguments by a row of libc.def:
 * every argument as a word (pointers and integers; of others, nothing). */
struct __heddle_args {
    uint64_t count;
    uint64_t constants; /* a bit for each argument that points to what never changes */
    uint64_t list[3];   /* the runtime's between the two, and the step of the first */
    uint64_t step;
    uint64_t at[];
};
void __heddle_libc_begin(const char *row, struct __heddle_args *args,
                         struct __heddle_site *site);
void __heddle_libc_end(const char *row, struct __heddle_args *args, int64_t result,
                       struct __heddle_site *site);

/* Atomics: a point before, then the operation, then what it did. Orders are those of C11.
 * Before it `how` says what it will be, and `expected` what a compare-exchange compares with:
 * the runtime may put an older value there for it to find (docs/weak.md). */
enum {
    HEDDLE_ATOMIC_SIZE = 0xff,    /* bytes; 0: more than 8, or not known before */
    HEDDLE_ATOMIC_KIND_SHIFT = 8, /* HEDDLE_ATOMIC_LOAD ... */
    HEDDLE_ATOMIC_ORDER_SHIFT = 12,
    HEDDLE_ATOMIC_FAILED_SHIFT = 16, /* order of a compare-exchange that fails */
    HEDDLE_ATOMIC_FIELD = 15,
};
enum { HEDDLE_ATOMIC_LOAD = 1, HEDDLE_ATOMIC_STORE, HEDDLE_ATOMIC_RMW, HEDDLE_ATOMIC_CAS };
void __heddle_atomic_point(void *addr, uint32_t how, uint64_t expected,
                           struct __heddle_site *site);
void __heddle_atomic_load(void *addr, uint32_t size, uint64_t value, uint32_t order,
                          struct __heddle_site *site);
void __heddle_atomic_store(void *addr, uint32_t size, uint64_t value, uint32_t order,
                           struct __heddle_site *site);
void __heddle_rmw(void *addr, uint32_t size, uint64_t before, uint64_t after, uint32_t order,
                  struct __heddle_site *site);
void __heddle_cas(void *addr, uint32_t size, uint64_t seen, uint64_t wanted, uint32_t stored,
                  uint32_t order, struct __heddle_site *site);
void __heddle_fence(uint32_t order, struct __heddle_site *site);

/* The value of len bytes: as they are up to 8 of them, little-endian; of more, the sum of
 * their words of 8 bytes, the nth multiplied by HEDDLE_HASH_STEP to the nth. */
#define HEDDLE_HASH_STEP 0x9e3779b97f4a7c15ULL
uint64_t __heddle_hash(const void *addr, uint64_t len);

/* Vectors: lane n, of so many bytes, is accessed if bit n of mask is set. Written lanes are
 * announced before (is_over 0) and recorded after the operation (1). */
void __heddle_read_lanes(const void *addr, uint32_t bytes, uint64_t mask,
                         struct __heddle_site *site);
void __heddle_write_lanes(void *addr, uint32_t bytes, uint64_t mask, uint32_t is_over,
                          struct __heddle_site *site);

/* A hint to the processor comes next: the thread waits for another one, and tries again. */
void __heddle_pause(struct __heddle_site *site);

/* In the place of instructions that ask the processor: rdtsc, rdpid, rdrand and rdseed, cpuid
 * (eax and ebx, or ecx and edx; the first of both is the lower half). */
uint64_t __heddle_cpu_stamp(void);
uint32_t __heddle_cpu_number(void);
uint64_t __heddle_cpu_random(void);
uint64_t __heddle_cpu_id(uint32_t leaf, uint32_t sub, uint32_t upper);

/* In the place of a request to Valgrind's tools: its code and arguments, and the answer if
 * there is none. */
uint64_t __heddle_request(const uint64_t *args, uint64_t answer);

/* Inline assembly that may touch memory comes next. */
void __heddle_unseen(struct __heddle_site *site);

/* A branch, or something else that depends on what was read: why is a BRANCH word. Of use only
 * if there is news: not 0 if the thread whose turn it is has seen something since its last one.
 * No step. */
void __heddle_branch(uint32_t why, struct __heddle_site *site);
extern const uint8_t *__heddle_news;
/* Behind a call of code from elsewhere: what it gave back. Windows record it; without news it
 * is of no use. No step. */
void __heddle_result(uint64_t value, struct __heddle_site *site);

/* Functions. enter returns the call depth before; it is given back at every way out, and after
 * a landing pad or setjmp (resume), where frames may have been skipped. */
uint32_t __heddle_enter(struct __heddle_site *site);
void __heddle_leave(uint32_t depth, struct __heddle_site *site);
void __heddle_resume(uint32_t depth);

/* A local whose address escapes begins and ends to live. */
void __heddle_stack_enter(void *addr, uint64_t len, struct __heddle_site *site);
void __heddle_stack_leave(void *addr, uint64_t len, struct __heddle_site *site);

/* Set before every call of a function that is not in the same unit, so that an interposed
 * function (malloc, pthread_mutex_lock, ...) knows where it was called from. A plain variable:
 * only the thread whose turn it is touches it. */
extern struct __heddle_site *__heddle_here;

/* Referred to by every unit: the runtime defines the one of its own version. */
extern const char __heddle_abi_3;

#endif
