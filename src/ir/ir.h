/* SPDX-License-Identifier: Apache-2.0
 *
 * ir: the bitcode that a program carries with it (heddle/bitcode.h): which instruction a
 * site is, what can be reached from where, and the recorded path of each thread executed
 * once more, with expressions for what depends on shared memory.
 *
 * A window of a run that was recorded in full (run_window) is executed thread by thread over
 * the bitcode. Every value has the number that it had in the run and, if it depends on a
 * read of shared memory, a term (smt/term.h) over the reads before it. What comes out is a
 * path: the thread's reads, writes, synchronisation, the conditions under which it goes on
 * as recorded, and those under which it would fail.
 *
 * With all variables at their recorded values every term has its recorded value: this is
 * checked at every event. Where it does not hold, or where the interpreter does not know how
 * to go on, the path ends, and says why. A path that ends is a prefix of the thread, never a
 * guess. */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "smt/smt.h"
#include "trace/trace.h"

/* ---- programs --------------------------------------------------------------------------- */

struct ir;

/* Loads LLVM: before any of its functions is called. ir_open does. */
int ir_load(struct err *err);

/* Reads the bitcode of a program and of the shared objects that it needs; only the program's
 * own has to be there. */
int ir_open(struct ir **out, const char *program, struct err *err);
void ir_close(struct ir *ir);

static inline void auto_ir(struct ir **ir)
{
    ir_close(*ir);
}

/* A place in the program: an instrumented instruction, or a function by its entry. Sites of
 * every trace of the program are mapped to these. */
typedef uint32_t ir_place; /* NONE: not in the bitcode */

ir_place ir_find(struct ir *ir, const struct def_site *site);
/* FILE:LINE, as in its site. */
ir_place ir_find_line(const struct ir *ir, const char *file, uint32_t line);

/* May the thread that is at `from` execute `to` later? Along the control flow, into whatever is
 * called (through a pointer: any function whose address is taken) and back to all callers; not
 * into threads that it starts. false is a proof, as far as all of the code is in the bitcode:
 * code from elsewhere is taken to call nothing but functions whose address is taken. */
bool ir_reaches(struct ir *ir, ir_place from, ir_place to);

/* ---- paths ------------------------------------------------------------------------------ */

enum ir_kind {
    IR_READ,  /* of shared memory: term is a variable of its own */
    IR_WRITE, /* to shared memory: term is what is written */
    IR_GUARD, /* term (width 1) must hold for the thread to go on as recorded */
    IR_CHECK, /* the thread fails here if term (width 1) holds */
    IR_SYNC,  /* an event of synchronisation, of a thread's life, of a block's life */
};

/* Why a guard or a check is there. */
enum ir_why {
    IR_NO_REASON,
    IR_BRANCH,  /* guard: conditional branch, switch, computed goto */
    IR_ADDRESS, /* guard: an address, a length */
    IR_LOCK,    /* guard: an argument of synchronisation */
    IR_CALLEE,  /* guard: a function that is called through a pointer */
    IR_FOREIGN, /* guard: an argument of code that is not in the bitcode */
    IR_FLOAT,   /* guard: an operand of floating point, or of something not modelled */
    IR_ASSERT,  /* check: an assertion, or a condition before abort() */
    IR_NULL,    /* check: a pointer that is followed points to the first page */
    IR_BOUNDS,  /* check: an index or address outside of its object */
    IR_DIVISOR, /* check: a divisor is zero, or the quotient does not fit */
    IR_ORACLE,  /* check: HEDDLE_EXPECT of heddle/annotate.h */
    IR_WHY_COUNT
};

/* Steps stand in program order. A read-modify-write is a READ and a WRITE with one event
 * number. The guard of a checked branch follows its check: the condition of a query is not
 * one of its own guards. */
struct ir_step {
    uint8_t kind; /* enum ir_kind */
    uint8_t why;  /* enum ir_why */
    uint8_t size; /* READ, WRITE: bytes, 1 .. 8 */
    bool is_atomic;
    uint32_t site;  /* of the trace; GUARD, CHECK: of the instruction, NONE if it has none */
    term term;      /* NONE: SYNC */
    uint64_t event; /* number in the window's trace; GUARD, CHECK: of the last event of the
                     * thread before it, branch events too; NO_EVENT: there is none */
    uint64_t addr;  /* READ, WRITE; SYNC: as in the event */
    uint64_t value; /* READ, WRITE: as recorded */
};

/* What had to be fixed to the recorded value. */
struct ir_fixed {
    uint32_t foreign, floats, addresses;
};

struct ir_path {
    uint32_t thr;
    VEC(struct ir_step) steps;
    bool is_whole;     /* up to the thread's last event */
    uint64_t stop;     /* not whole: the event at which it ended */
    struct str reason; /* owned; not whole: why */
    uint64_t instructions;
    uint64_t events, events_all; /* of the thread: executed, and in the trace */
    struct ir_fixed fixed;
};

struct ir_paths {
    VEC(struct ir_path) at; /* by thread */
};

/* Executes the paths of all threads of a window. Terms are made in pool. */
int ir_paths(struct ir_paths *out, struct ir *ir, struct trace *window, struct term_pool *pool,
             struct err *err);
void ir_paths_done(struct ir_paths *p);

static inline void auto_ir_paths(struct ir_paths *p)
{
    ir_paths_done(p);
}

/* What the program's file puts at an address before it starts, if the address is in one of its
 * variables. */
bool ir_initial(const struct ir *ir, uint64_t addr, unsigned size, uint64_t *out);

/* Separate from the interpreter: every term of the paths, evaluated with the recorded values of
 * the reads, is what was recorded, guards hold and checks do not. 1: it is not, where says. */
int ir_check(const struct ir_paths *p, const struct term_pool *pool, struct str *where);

#endif
