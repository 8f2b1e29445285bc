/* SPDX-License-Identifier: Apache-2.0
 *
 * insert: what the parts that insert hooks share. */
#ifndef INSTR_INSERT_H
#define INSTR_INSERT_H

#include "instr/pass.h"

enum hook {
#define HOOK(name, symbol, result, args) HOOK_##name,
#include "instr/hooks.def"
#undef HOOK
    HOOK_COUNT
};

struct insert {
    struct pass *p;
    LLVMBuilderRef b;
    LLVMTypeRef types[HOOK_COUNT];
    LLVMValueRef hooks[HOOK_COUNT];
    LLVMValueRef depth; /* of the current function: what enter returned, or NULL */
    LLVMValueRef slots; /* of the current function: for arguments of calls, or NULL */
    struct map looped;  /* its blocks that are passed again and again, as far as we see */
};

/* Where the result of a call is there, and of no other; NULL: nowhere. */
LLVMValueRef behind_call(LLVMValueRef call);
LLVMValueRef hook_call(struct insert *in, enum hook hook, LLVMValueRef *args);
#define CALL(in, hook, ...) hook_call((in), (hook), (LLVMValueRef[]){__VA_ARGS__})

/* What follows stands before inst, and has the other one's position in the source. */
void place_before(struct insert *in, LLVMValueRef inst, LLVMValueRef position);
/* The bits of a scalar of at most 8 bytes, zero-extended; of a longer one a hash. NULL if it
 * has no bits that can be had. */
LLVMValueRef bits_of(struct insert *in, LLVMValueRef value);
/* What a hook before an atomic operation is told of it (abi.h). */
LLVMValueRef atomic_how(struct insert *in, uint64_t bytes, unsigned kind, LLVMValueRef order,
                        LLVMValueRef failed);

/* ---- fast.c: what costs no call in the usual case --------------------------------------- */

/* In the text of a hook that is inlined: a thread without news goes to its end; what tells them
 * stands between these two. */
#define IR_TELL_IF_NEWS                                  \
    "  %news = load ptr, ptr @__heddle_news\n"           \
    "  %is = load i8, ptr %news\n"                       \
    "  %none = icmp eq i8 %is, 0\n"                      \
    "  br i1 %none, label %end, label %tell, !prof !0\n" \
    "tell:\n"
#define IR_TOLD         \
    "  br label %end\n" \
    "end:\n"            \
    "  ret void\n"      \
    "}\n"               \
    "!0 = !{!\"branch_weights\", i32 1000, i32 1}\n"

/* A function of this module, made from text. */
LLVMValueRef text_function(struct pass *p, const char *name, const char *code);
/* Those that were asked for become part of the module. */
void text_functions_link(struct pass *p);
/* Learns which blocks of a function are worth it. */
void fast_begin(struct insert *in, const struct func *func);
/* The operation is worth more code than a call. */
bool fast_is(const struct insert *in, const struct op *op);
/* The access says itself that its address may depend on what was read. */
bool fast_tells(const struct insert *in, const struct op *op);
/* A plain access of 1 << size_log2 bytes: of a value, if it is a write. */
void insert_access(struct insert *in, const struct op *op, unsigned size_log2,
                   LLVMValueRef value, LLVMValueRef site);
void insert_branch(struct insert *in, int why, LLVMValueRef site);
/* What a call from elsewhere gave back. */
void insert_value(struct insert *in, LLVMValueRef value, LLVMValueRef site);

/* ---- quiet.c: several accesses at once -------------------------------------------------- */

/* How many operations from this one on are looked at together; 1: it alone. */
uint32_t group_length(const struct insert *in, uint32_t first, uint32_t end);
void insert_group(struct insert *in, uint32_t first, uint32_t count);

/* ---- clear.c ---------------------------------------------------------------------------- */

/* A local variable begins as zeros; start: the first instruction behind all of them. */
void clear_local(struct insert *in, LLVMValueRef local, LLVMValueRef start);

/* 0..3 for 1, 2, 4, 8 bytes; else -1. */
int size_class(uint64_t bytes);
/* A plain access of one value of such a size. */
bool is_scalar(struct pass *p, const struct op *op);

static inline LLVMValueRef u32(const struct insert *in, uint64_t value)
{
    return LLVMConstInt(in->p->t_i32, value, false);
}

static inline LLVMValueRef u64(const struct insert *in, uint64_t value)
{
    return LLVMConstInt(in->p->t_i64, value, false);
}

#endif
