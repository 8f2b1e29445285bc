/* SPDX-License-Identifier: Apache-2.0
 *
 * pass: what the parts of the pass share. A module is first looked at (collect), which gives
 * operations and sites and changes nothing; the module is then kept as it is; only then are
 * hooks inserted and tables added.
 *
 *     load -> promote locals -> collect -> number -> keep bitcode -> insert -> tables -> verify
 */
#ifndef INSTR_PASS_H
#define INSTR_PASS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "instr/instr.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

enum {
    DEPENDS_KEPT = 64,      /* sites that one site may name */
    SEARCH_MAX = 2000,      /* values looked at for them */
    POINTER_DEPTH = 24,     /* steps from an address to the object it is in */
    LIBRARY_ACCESS_MAX = 4, /* accesses of one function of a library */
};

/* Words of the ABI: why a branch event is there. */
enum why { WHY_BRANCH, WHY_ADDRESS, WHY_LOCK, WHY_CALLEE, WHY_FOREIGN, WHY_NONE = -1 };

enum op_kind {
    OP_NONE,
    OP_READ,
    OP_WRITE,
    OP_COPY,
    OP_SET,
    OP_LIBC,
    OP_ATOMIC_LOAD,
    OP_ATOMIC_STORE,
    OP_RMW,
    OP_CAS,
    OP_FENCE,
    OP_LIBATOMIC, /* a function of the library of atomics */
    OP_MASKED,    /* lanes of a vector, or single elements far apart */
    OP_PAUSE,     /* a hint that the thread waits for another one */
    OP_ASSEMBLY,  /* inline assembly that touches just its operands in memory */
    OP_UNSEEN,    /* inline assembly that may touch any memory */
    OP_BRANCH,
    OP_CALL,
    OP_STACK,    /* a local whose address escapes */
    OP_FUNCTION, /* the function itself: enter and leave */
};

/* How a function of a library touches memory: see libc.def and libstdcxx.def. */
struct library_access {
    char how;      /* r w a d o i */
    uint8_t arg;   /* the address */
    char extent;   /* n z m p s f k */
    uint8_t count; /* arguments of the extent: */
    uint8_t extent_args[3];
    uint32_t offset, bytes;
};

struct library_row {
    const char *name;
    uint8_t count;
    struct library_access at[LIBRARY_ACCESS_MAX];
};

/* A function of the library of atomics, by its name: see wide.c. */
struct libatomic {
    char what;     /* l load, s store, x exchange or fetch, c compare and exchange */
    uint8_t bytes; /* of the object; 0: the first argument says */
};

/* One instruction to instrument; its site has the same number. */
struct op {
    enum op_kind kind;
    LLVMValueRef inst;             /* the function for OP_FUNCTION */
    uint32_t func;                 /* index into pass.funcs */
    int why;                       /* a branch event comes first: enum why */
    bool skip_read, skip_write;    /* OP_COPY: that side is private memory */
    bool has_here;                 /* __heddle_here is set before it */
    bool is_sync;                  /* OP_CALL: of a lock or the like */
    bool has_copies;               /* OP_CALL: arguments are copied out of memory */
    bool is_table;                 /* OP_WRITE: stores_table */
    bool is_unknown;               /* OP_CALL: of a function that is not described */
    bool after_call;               /* code of this unit was called since the one before it */
    const struct library_row *row; /* OP_LIBC */
    const char *told;              /* OP_CALL: accesses that the runtime tells; or NULL */
    struct libatomic libatomic;    /* OP_LIBATOMIC */
};

struct site {
    uint32_t line, column, statement;
    const char *file, *function, *name; /* in the pass's arena */
    uint32_t depends_at, depends_count; /* in pass.depends */
};

/* A dependence between functions, until all of them have been looked at: of a site, of what a
 * function gives back, or of that it is called. */
struct across {
    enum { ACROSS_SITE, ACROSS_RESULT, ACROSS_ENTRY } what;
    uint32_t user;       /* the site */
    LLVMValueRef fn, of; /* the function it was found in; that gives back, or is called */
    /* on one of these: */
    uint32_t site;       /* a read of the same function, or NONE */
    LLVMValueRef callee; /* what this one gives back, or NULL */
};

/* A function that is instrumented: its operations stand together, its own one is first. */
struct func {
    LLVMValueRef fn;
    uint32_t first, end; /* in pass.ops */
    LLVMValueRef table;  /* of its sites; the linker puts all tables together */
    bool has_frame;      /* enter and leave */
    bool is_coroutine;   /* no frame hooks: it does not live on the stack */
};

struct insert;
struct pass {
    struct arena mem;
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMTargetDataRef layout; /* borrowed: lives in mod */
    LLVMMemoryBufferRef kept; /* bitcode before hooks */
    LLVMModuleRef texts;      /* functions of ours that are given as text; NULL: none */
    const struct instr_opts *opts;
    struct {
        const char *path; /* borrowed: in mem */
        struct bytes bytes;
    } spelled; /* the source file that was looked into last */

    VEC(struct op) ops;
    VEC(struct site) sites; /* same numbers as ops */
    VEC(uint32_t) depends;
    VEC(struct across) across;
    VEC(struct func) funcs;

    struct map ignored;         /* functions that are left alone */
    struct map private_allocas; /* alloca -> 1: its address does not escape, 0: it does */
    struct map variables;       /* value -> index: the variable that it holds */
    struct map places;          /* alloca or global -> index: the variable that is there */
    VEC(LLVMMetadataRef) variable;

    LLVMTypeRef t_void, t_ptr, t_i8, t_i16, t_i32, t_i64, t_unit;
    LLVMValueRef unit, here;           /* globals we add */
    unsigned md_site, md_dbg, md_tbaa; /* kinds of metadata */
};

/* ---- escape.c --------------------------------------------------------------------------- */

/* May anybody else touch what is at this address? */
bool memory_is_private(struct pass *p, LLVMValueRef address);
/* A destructor begins: it says again which table of virtual functions the object has. */
bool stores_table(struct pass *p, LLVMValueRef store);
bool alloca_is_private(struct pass *p, LLVMValueRef alloca);
/* NULL if the address may be in several objects or in one that nobody knows. */
LLVMValueRef pointer_base(LLVMValueRef address);

/* ---- flow.c: the blocks of one function ------------------------------------------------- */

struct flow {
    LLVMBasicBlockRef *blocks; /* in the arena; the entry is 0 */
    uint32_t count;
    struct map index;                          /* block -> number */
    uint32_t *succ_at, *succ, *pred_at, *pred; /* block b's: [at[b], at[b + 1]) */
    uint32_t *control_at, *control; /* blocks whose ends decide whether b is reached */
};

void flow_build(struct flow *f, struct arena *mem, LLVMValueRef fn);
void flow_done(struct flow *f);

/* ---- depend.c --------------------------------------------------------------------------- */

struct depend {
    struct map tainted; /* values that may depend on what was read */
    VEC(LLVMValueRef) work;
    struct map seen; /* value -> round in which it was looked at */
    uint32_t round;
};

/* Everything in fn that may depend on loaded values, arguments or results of calls. */
void depend_taint(struct depend *d, LLVMValueRef fn);
bool depend_may(const struct depend *d, LLVMValueRef value);
/* Fills the dependences of the sites of one function. */
void depend_sites(struct pass *p, struct depend *d, const struct func *func,
                  const struct flow *flow);
/* The same across the functions of the unit, when all have been looked at. */
void depend_calls(struct pass *p);
/* Takes away implicit branch events that have nothing to add: none was read since another. */
void depend_thin(struct pass *p, const struct func *func, const struct flow *flow);
void depend_done(struct depend *d);

/* ---- clear.c: see also insert.h ---------------------------------------------------------- */

/* What no instruction says anything about is zero. */
void clear_undefined(const struct pass *p);

/* ---- naming.c --------------------------------------------------------------------------- */

/* Learns which variables live where; the module must be in the old debug format. */
void naming_learn(struct pass *p);
/* The variable or field at an address, for an access of so many bytes (0: unknown). */
const char *naming_place(struct pass *p, LLVMValueRef address, uint64_t bytes);
const char *naming_global(struct pass *p, LLVMValueRef global);
/* spelled.c: the member whose name stands in the source where the site is; "" if none does. */
const char *spelled_name(struct pass *p, const struct site *site);
const char *naming_function(struct pass *p, LLVMValueRef fn);
/* Does it belong to a destructor? */
bool naming_is_end(struct pass *p, LLVMValueRef inst);
/* Line, column, file, function and statement; the name is left alone. */
void naming_position(struct pass *p, const struct op *op, struct site *site);

/* ---- collect.c -------------------------------------------------------------------------- */

void collect_module(struct pass *p);
/* Bytes of a value in memory. */
uint64_t store_bytes(const struct pass *p, LLVMTypeRef type);
LLVMTypeRef access_type(LLVMValueRef inst);
LLVMValueRef access_address(LLVMValueRef inst);
bool is_intrinsic(LLVMValueRef call, const char *prefix);
/* NULL unless it is a direct call. */
LLVMValueRef called_function(LLVMValueRef call);
bool function_has(LLVMValueRef fn, const char *attribute);
/* The bytes that the call copies out of memory for this argument; 0: it is just a value. */
uint64_t copied_bytes(struct pass *p, LLVMValueRef call, unsigned arg);

/* ---- call-table.c: where functions call others ------------------------------------------ */

/* Appends what a record INSTR_RECORD_CALLS holds. */
void calls_tell(struct pass *p, struct str *out);

/* ---- described.c ------------------------------------------------------------------------- */

/* NULL: it is not described. */
const struct library_row *libc_find(LLVMValueRef callee);
const struct library_row *library_find(LLVMValueRef callee, LLVMValueRef call);
unsigned library_main_arg(const struct library_row *row);

/* ---- called.c: functions of libc whose accesses the runtime tells ------------------------ */

/* What is left of the row of libc.def for this call, in the arena; NULL: nothing. */
const char *called_find(struct pass *p, LLVMValueRef call);
/* Does libc.def say anything about the function? */
bool called_is_known(LLVMValueRef callee);
/* The variable that the call is about, if it is just one. */
const char *called_name(struct pass *p, LLVMValueRef call);
void insert_called(struct insert *in, const struct func *func, const struct op *op,
                   LLVMValueRef site);

/* ---- wide.c: what is wider than one value ------------------------------------------------ */

/* what is 0 if it is no function of the library of atomics. */
struct libatomic libatomic_find(LLVMValueRef callee);
LLVMValueRef libatomic_address(const struct op *op);
/* An intrinsic of vectors that touches memory by lanes. */
bool masked_is(LLVMValueRef call, bool *writes);
LLVMValueRef masked_address(LLVMValueRef call); /* NULL: each lane has its own */

void insert_libatomic(struct insert *in, const struct op *op, LLVMValueRef site);
void insert_masked(struct insert *in, const struct op *op, LLVMValueRef site);

/* ---- assembly-meaning.c ----------------------------------------------------------------- */

/* Inline assembly that is understood becomes what it means. */
void lift_assembly(struct pass *p);

/* ---- assembly-unseen.c: inline assembly that is not understood --------------------------- */

/* OP_UNSEEN if it may touch memory, synchronise, or ask the processor for the time or chance;
 * OP_ASSEMBLY if it touches the memory of its operands; OP_CALL if none. */
enum op_kind assembly_kind(struct pass *p, LLVMValueRef call);
/* Is the address just where an operand is? */
bool assembly_keeps(LLVMValueRef call, LLVMValueRef address);
LLVMValueRef assembly_address(struct pass *p, LLVMValueRef call); /* of one operand; or NULL */
void insert_assembly(struct insert *in, const struct op *op, LLVMValueRef site);

/* ---- inline.c --------------------------------------------------------------------------- */

/* Small functions of system headers are to be inlined wherever they are called. */
void inline_mark(struct pass *p);
/* Where the user wrote what was inlined: the first place outside of system headers. */
LLVMMetadataRef users_location(LLVMMetadataRef loc);

/* ---- insert.c --------------------------------------------------------------------------- */

void insert_hooks(struct pass *p);

/* ---- tables.c --------------------------------------------------------------------------- */

/* The globals that hooks refer to; contents follow in tables_fill. */
void tables_declare(struct pass *p);
int tables_fill(struct pass *p, struct err *err);
LLVMValueRef site_address(struct pass *p, uint32_t site);

static inline uint64_t key_of(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static inline bool is_named(LLVMValueRef v, const char *prefix)
{
    size_t len;
    const char *name = LLVMGetValueName2(v, &len);
    size_t want = strlen(prefix);
    return len >= want && memcmp(name, prefix, want) == 0;
}

#endif
