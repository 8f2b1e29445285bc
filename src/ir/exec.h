/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: what the files of the interpreter share.
 *
 *     stream.c    the events of each thread, and which of them touch shared memory
 *     value.c     values: numbers with terms; what LLVM's operations do to them
 *     made-up.c   memory: bytes with terms, and objects whose address is not known
 *     constant.c  constants of the bitcode as values, contents of constant variables
 *     arithmetic.c, floating.c   what LLVM computes
 *     access.c    loads, stores, atomics, copies, against the events
 *     call.c      calls: of code that is here, and of code from elsewhere
 *     intrinsic.c what LLVM calls by name
 *     exception.c from where it is thrown to where it is caught
 *     failing.c   which conditions are assertions, which addresses are out of bounds
 *     exec.c      one instruction after the other
 *     execute.c   thread after thread
 *
 * The path of a thread ends by `stop`: it notes why, and everything that follows returns at
 * once. Functions that may stop return false then. */
#ifndef IR_EXEC_H
#define IR_EXEC_H

#include "ir/bitcode.h"

/* ---- stream.c ---------------------------------------------------------------------------- */

struct seen {
    uint64_t number; /* of the event */
    uint64_t addr, len, value, value2;
    uint32_t site, peer;
    uint8_t kind, size, flags;
    bool is_shared; /* an access to memory that another thread touches too, and one writes */
};

struct stream {
    VEC(struct seen) items;
};

struct block {
    uint64_t addr, len, number; /* of its event */
    bool is_told;               /* its address was written to shared memory */
};

struct streams {
    VEC(struct stream) at;    /* by thread */
    VEC(struct block) blocks; /* of the heap, in the order of the trace */
};

int streams_read(struct streams *out, struct trace *t, struct err *err);
void streams_done(struct streams *s);

/* ---- value.c ----------------------------------------------------------------------------- */

/* What an LLVM value is now. Integers up to 128 bits, pointers and floating point are their
 * bits; structs, arrays and vectors have parts. */
struct val {
    bool is_known;
    uint16_t width;    /* bits; 0: it has parts, or is nothing at all */
    term term;         /* NONE: it depends on no shared read */
    term_bits bits;    /* as in the run */
    struct val *parts; /* in the arena */
    uint32_t part_count;
};

/* One byte of memory: bits [8 * index, +8) of term, if that is not NONE. */
struct byte {
    term term;
    uint8_t value, index;
    bool is_known;
    bool is_weak; /* code from elsewhere may have changed it since */
};

struct exec;

struct val val_number(unsigned width, term_bits bits);
struct val val_unknown(struct exec *x, LLVMTypeRef type);
term val_term(struct exec *x, const struct val *v); /* a constant if it has none */
struct val val_binary(struct exec *x, enum term_op op, const struct val *a,
                      const struct val *b);
struct val val_cast(struct exec *x, LLVMOpcode op, const struct val *v, unsigned width);
struct val val_select(struct exec *x, const struct val *c, const struct val *a,
                      const struct val *b);
/* To and from memory. */
void val_to_bytes(struct exec *x, const struct val *v, LLVMTypeRef type, struct byte *out,
                  uint64_t len);
struct val val_from_bytes(struct exec *x, LLVMTypeRef type, const struct byte *in,
                          uint64_t len);
struct val val_from_row(struct exec *x, unsigned width, const struct byte *in, uint64_t len);
/* Bits of a scalar type; 0: it has parts, or is too wide. */
unsigned type_width(struct exec *x, LLVMTypeRef type);
uint32_t type_parts(LLVMTypeRef type);
LLVMTypeRef type_part(LLVMTypeRef type, uint32_t i);
uint64_t type_part_offset(struct exec *x, LLVMTypeRef type, uint32_t i);

/* ---- made-up.c --------------------------------------------------------------------------- */

/* Something that lives at an address which only the run knew: it has one made up here, from
 * MADE_UP on, until an event tells. */
#define MADE_UP (1ULL << 62)

struct made_up {
    uint64_t base, size;
    uint64_t real;       /* 0: not known yet */
    bool in_term;        /* its address is part of a term */
    LLVMValueRef global; /* NULL: a local */
};

uint64_t object_make(struct exec *x, uint64_t size, LLVMValueRef global); /* its address */
struct made_up *object_at(struct exec *x, uint64_t addr); /* NULL: not a made-up address */
/* What the run calls this address. */
uint64_t object_real(struct exec *x, uint64_t addr);
/* Is this the number that the run had? Learns where an object lies, if that is all. */
bool object_agrees(struct exec *x, uint64_t mine, uint64_t recorded);

struct byte memory_get(struct exec *x, uint64_t addr);
/* The same, if the thread has put it there or found it there. */
struct byte memory_own(struct exec *x, uint64_t addr);
void memory_put(struct exec *x, uint64_t addr, struct byte b);
void memory_forget(struct exec *x, uint64_t addr, uint64_t len);

/* ---- the interpreter --------------------------------------------------------------------- */

struct frame {
    LLVMValueRef fn, inst; /* what comes next */
    LLVMBasicBlockRef block, before;
    LLVMValueRef call; /* the caller's; NULL: code from elsewhere called */
    bool waits;        /* in a call of code from elsewhere, for what that calls */
    uint32_t vals;     /* first of its values */
    struct map locals; /* LLVM value -> index into exec.vals */
    const struct unit *unit;
};

/* What a thread was started with. */
struct start_arg {
    struct val arg;
    bool is_known;
};

struct exec {
    struct arena mem; /* of one thread */
    struct ir *ir;
    struct term_pool *pool;
    struct ir_path *path;
    const ir_place *place_of_site; /* by site of the trace */
    const uint32_t *site_of_place; /* by place: the first of its sites, or NONE */
    const struct streams *streams;
    const struct stream *stream; /* of this thread */
    uint32_t at;                 /* next item of the stream */
    VEC(struct frame) frames;
    VEC(struct val) vals;
    VEC(struct made_up) objects;
    VEC(struct byte) cells;
    struct map cell_of; /* address -> index into cells */
    struct map early;   /* local that lives before it was come to -> index into early_addr */
    VEC(uint64_t) early_addr;
    struct map globals; /* LLVM global or function -> index into global_addr */
    VEC(uint64_t) global_addr;
    const struct map *function_at; /* address -> index into functions */
    LLVMValueRef *functions;
    struct start_arg *starts; /* by thread */
    const char *thrown;       /* the type of the last exception; NULL: there was none */
    struct map failing;       /* block -> enum ir_why */
    LLVMValueRef inst;        /* the one at hand */
    bool stopped, ended;
    uint64_t last_event;
};

/* Ends the path. Returns false. */
bool exec_stop(struct exec *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next event that is not in between by nature; NULL: there is none left. */
const struct seen *next_item(struct exec *x);
void take_item(struct exec *x);

struct val value_of(struct exec *x, LLVMValueRef v);
void set_value(struct exec *x, LLVMValueRef inst, struct val v);

void add_step(struct exec *x, struct ir_step step);
/* The thread goes on as recorded only if the condition holds; constants are left out. */
void add_guard(struct exec *x, enum ir_why why, LLVMValueRef inst, term condition);
void add_check(struct exec *x, enum ir_why why, LLVMValueRef inst, term condition);
/* Fixes a value to what it was, and forgets the term. */
void fix_value(struct exec *x, enum ir_why why, LLVMValueRef inst, struct val *v);

/* ---- constant.c -------------------------------------------------------------------------- */

struct val constant_value(struct exec *x, LLVMValueRef c);
/* What getelementptr adds to its base, and what it gives; as an instruction or a constant. */
struct val element_offset(struct exec *x, LLVMValueRef gep);
struct val element_address(struct exec *x, LLVMValueRef gep);
/* A byte of a constant variable, or of one that nobody has written yet. */
struct byte constant_byte(struct exec *x, LLVMValueRef global, uint64_t offset);

/* ---- arithmetic.c, floating.c ------------------------------------------------------------ */

bool exec_binary(struct exec *x, LLVMValueRef inst);
bool exec_compare(struct exec *x, LLVMValueRef inst);
bool exec_cast(struct exec *x, LLVMValueRef inst);
bool exec_select(struct exec *x, LLVMValueRef inst);
bool exec_extract(struct exec *x, LLVMValueRef inst);
bool exec_insert(struct exec *x, LLVMValueRef inst);
bool exec_element(struct exec *x, LLVMValueRef inst); /* of a vector: taken out or put in */
bool exec_float(struct exec *x, LLVMValueRef inst);

/* ---- access.c ---------------------------------------------------------------------------- */

bool exec_load(struct exec *x, LLVMValueRef inst);
bool exec_store(struct exec *x, LLVMValueRef inst);
bool exec_rmw(struct exec *x, LLVMValueRef inst);
bool exec_cas(struct exec *x, LLVMValueRef inst);
bool exec_copy(struct exec *x, LLVMValueRef inst, bool is_set);
/* len bytes from an address to an object, as an argument that is copied. */
bool copy_range(struct exec *x, LLVMValueRef inst, struct val *from, uint64_t to, uint64_t len);
/* An event of memory that code from elsewhere caused. */
bool foreign_access(struct exec *x, const struct seen *it);

/* ---- call.c ------------------------------------------------------------------------------ */

bool exec_call(struct exec *x, LLVMValueRef inst);
bool exec_return(struct exec *x, LLVMValueRef inst);
/* Leaves the frame without a result; the call that made it, NULL: one from elsewhere. */
LLVMValueRef pop_left(struct exec *x);
/* Events until a function is entered from elsewhere, or the thread ends. */
bool exec_outside(struct exec *x);

/* ---- intrinsic.c ------------------------------------------------------------------------- */

bool exec_intrinsic(struct exec *x, LLVMValueRef inst, LLVMValueRef fn);

/* ---- exception.c ------------------------------------------------------------------------- */

bool is_throwing(LLVMValueRef call); /* and does nothing else */
bool exec_throw(struct exec *x, LLVMValueRef call);
bool exec_unwind(struct exec *x); /* on from the frame at hand */
bool exec_landing_pad(struct exec *x, LLVMValueRef inst);
struct val type_number(LLVMValueRef type); /* what landing pads call it */

/* ---- failing.c --------------------------------------------------------------------------- */

/* Does this block lead to a failure, and nowhere else? IR_NO_REASON: no. */
enum ir_why failing_block(struct exec *x, LLVMBasicBlockRef block);
/* When it does, if more conditions come before the failure, so many at most, that depend on
 * nothing but values at hand; NONE: that is not known, or never. */
enum { CONDITIONS_MAX = 4 };
term failing_if(struct exec *x, LLVMBasicBlockRef block, unsigned conditions, enum ir_why *why);
/* The checks of an access whose address depends on shared reads, and its guard. */
void check_address(struct exec *x, LLVMValueRef inst, LLVMValueRef operand, struct val *addr,
                   uint64_t bytes);
/* The checks alone of a pointer that code from elsewhere follows; which: of its arguments. */
void check_argument(struct exec *x, LLVMValueRef call, const char *name, unsigned which);
bool is_output_function(const char *name);

/* ---- exec.c ------------------------------------------------------------------------------ */

bool exec_step(struct exec *x);
void enter_block(struct exec *x, LLVMBasicBlockRef block);

#endif
