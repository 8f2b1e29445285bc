/* SPDX-License-Identifier: Apache-2.0
 *
 * clear: a local variable begins as zeros. C leaves its bytes to chance: a copy of a structure
 * as a whole (padding, the part of a union that is not used, the end of a name) holds what
 * calls before left on the stack, and the runtime leaves other things there in a replay than
 * in the run that it repeats. What is written over at once the optimiser does not clear.
 *
 * The same of locals that became values: what was never written of them is "undefined" to LLVM,
 * and so whatever a register holds when a copy is told. */
#include "instr/insert.h"

enum {
    CLEAR_MAX = 16384, /* bytes: larger ones are buffers, and are not copied whole */
    PARTS_MAX = 64,    /* of a constant */
};

static uint64_t bytes_to_clear(const struct pass *p, LLVMValueRef local)
{
    LLVMValueRef count = LLVMGetOperand(local, 0);
    if (!LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) != 1)
        return 0;
    uint64_t bytes = LLVMABISizeOfType(p->layout, LLVMGetAllocatedType(local));
    return bytes <= CLEAR_MAX ? bytes : 0;
}

static void clear(struct insert *in, LLVMValueRef local, uint64_t bytes)
{
    LLVMValueRef zero = LLVMConstInt(LLVMInt8TypeInContext(in->p->ctx), 0, false);
    LLVMBuildMemSet(in->b, local, zero, u64(in, bytes), LLVMGetAlignment(local));
}

void clear_local(struct insert *in, LLVMValueRef local, LLVMValueRef start)
{
    uint64_t bytes = bytes_to_clear(in->p, local);
    VEC(LLVMValueRef) marks = {0};
    for (LLVMUseRef u = LLVMGetFirstUse(local); bytes && u; u = LLVMGetNextUse(u))
        if (LLVMIsACallInst(LLVMGetUser(u)) &&
            is_intrinsic(LLVMGetUser(u), "llvm.lifetime.start"))
            vec_push(&marks, LLVMGetUser(u));
    for (uint32_t i = 0; i < marks.len; i++) {
        place_before(in, LLVMGetNextInstruction(marks.at[i]), marks.at[i]);
        clear(in, local, bytes);
    }
    if (bytes && !marks.len) {
        place_before(in, start, start);
        clear(in, local, bytes);
    }
    vec_done(&marks);
}

/* A value or a constant of several parts. */
static LLVMValueRef defined(LLVMValueRef value)
{
    LLVMValueRef parts[PARTS_MAX];
    bool is_struct = LLVMIsAConstantStruct(value), is_vector = LLVMIsAConstantVector(value);
    bool changes = false;
    if (LLVMIsUndef(value))
        return LLVMConstNull(LLVMTypeOf(value));
    unsigned count = is_struct || is_vector ? (unsigned)LLVMGetNumOperands(value) : 0;
    if (count == 0 || count > PARTS_MAX)
        return value;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef part = LLVMGetOperand(value, i);
        parts[i] = defined(part);
        changes |= parts[i] != part;
    }
    if (!changes)
        return value;
    return is_struct ? LLVMConstNamedStruct(LLVMTypeOf(value), parts, count)
                     : LLVMConstVector(parts, count);
}

static void clear_operands(LLVMValueRef inst)
{
    int count = LLVMGetNumOperands(inst);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)i);
        LLVMValueRef value = operand ? defined(operand) : NULL;
        if (value != operand)
            LLVMSetOperand(inst, (unsigned)i, value);
    }
}

void clear_undefined(const struct pass *p)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                clear_operands(i);
}
