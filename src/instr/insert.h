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
};

LLVMValueRef hook_call(struct insert *in, enum hook hook, LLVMValueRef *args);
#define CALL(in, hook, ...) hook_call((in), (hook), (LLVMValueRef[]){__VA_ARGS__})

/* What follows stands before inst, and has the other one's position in the source. */
void place_before(struct insert *in, LLVMValueRef inst, LLVMValueRef position);
/* The bits of a scalar of at most 8 bytes, zero-extended; of a longer one a hash. NULL if it
 * has no bits that can be had. */
LLVMValueRef bits_of(struct insert *in, LLVMValueRef value);

static inline LLVMValueRef u32(const struct insert *in, uint64_t value)
{
    return LLVMConstInt(in->p->t_i32, value, false);
}

static inline LLVMValueRef u64(const struct insert *in, uint64_t value)
{
    return LLVMConstInt(in->p->t_i64, value, false);
}

#endif
