/* SPDX-License-Identifier: Apache-2.0
 *
 * escape: which memory can only its own function touch? A local whose address goes nowhere
 * but into loads and stores, and everything that is constant. LLVM-C has no capture analysis:
 * the uses are walked here. Whatever is not understood escapes. */
#include "instr/pass.h"

LLVMValueRef pointer_base(LLVMValueRef address)
{
    for (int depth = 0; depth < POINTER_DEPTH; depth++) {
        if (LLVMIsAAllocaInst(address) || LLVMIsAGlobalVariable(address))
            return address;
        if (LLVMIsAGetElementPtrInst(address) || LLVMIsABitCastInst(address) ||
            LLVMIsAAddrSpaceCastInst(address))
            address = LLVMGetOperand(address, 0);
        else if (LLVMIsACallInst(address) && is_intrinsic(address, "llvm.threadlocal.address"))
            address = LLVMGetOperand(address, 0);
        else if (LLVMIsAConstantExpr(address) && LLVMGetNumOperands(address) > 0)
            address = LLVMGetOperand(address, 0);
        else
            return NULL;
    }
    return NULL;
}

/* Does this use, by a call, leave the address where it is? */
static bool call_keeps(LLVMValueRef call, LLVMValueRef address)
{
    if (is_intrinsic(call, "llvm.lifetime.") || is_intrinsic(call, "llvm.dbg.") ||
        is_intrinsic(call, "llvm.mem") || is_intrinsic(call, "llvm.va_") ||
        is_intrinsic(call, "llvm.assume") || is_intrinsic(call, "llvm.objectsize"))
        return true;
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
        return assembly_keeps(call, address);
    LLVMValueRef callee = called_function(call);
    if (callee && libatomic_find(callee).what)
        return true;
    if (!callee || LLVMGetCalledValue(call) == address || !libc_find(callee))
        return false;
    return !LLVMGetFirstUse(call) || LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMPointerTypeKind;
}

/* Is it put somewhere, rather than being where something is put? */
static bool is_value_of(LLVMValueRef user, LLVMValueRef address)
{
    unsigned count = (unsigned)LLVMGetNumOperands(user);
    unsigned own = LLVMIsAStoreInst(user) ? 1 : 0;
    for (unsigned i = 0; i < count; i++)
        if (i != own && LLVMGetOperand(user, i) == address)
            return true;
    return false;
}

enum use { USE_KEEPS, USE_ESCAPES, USE_DERIVES };

static enum use judge_use(LLVMValueRef user, LLVMValueRef address)
{
    switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMUnreachable) {
    case LLVMLoad:
    case LLVMICmp:
        return USE_KEEPS;
    case LLVMStore:
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
        return is_value_of(user, address) ? USE_ESCAPES : USE_KEEPS;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPHI:
    case LLVMSelect:
        return USE_DERIVES;
    case LLVMCall:
        return call_keeps(user, address) ? USE_KEEPS : USE_ESCAPES;
    default:
        return USE_ESCAPES;
    }
}

static bool walk_uses(LLVMValueRef alloca)
{
    struct map seen = {0};
    VEC(LLVMValueRef) work = {0};
    bool escapes = false;
    vec_push(&work, alloca);
    while (work.len && !escapes) {
        LLVMValueRef address = work.at[--work.len];
        for (LLVMUseRef u = LLVMGetFirstUse(address); u && !escapes; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            enum use use = judge_use(user, address);
            uint32_t *slot = use == USE_DERIVES ? map_at(&seen, key_of(user)) : NULL;
            if (slot && *slot == NONE) {
                *slot = 1;
                vec_push(&work, user);
            }
            escapes = use == USE_ESCAPES;
        }
    }
    map_done(&seen);
    vec_done(&work);
    return !escapes;
}

bool alloca_is_private(struct pass *p, LLVMValueRef alloca)
{
    uint32_t known = map_find(&p->private_allocas, key_of(alloca));
    if (known == NONE)
        known = *map_at(&p->private_allocas, key_of(alloca)) = walk_uses(alloca);
    return known == 1;
}

/* By the type that the compiler says it has: with optimisation only. */
static bool is_of_table(struct pass *p, LLVMValueRef inst)
{
    LLVMValueRef tag = LLVMGetMetadata(inst, p->md_tbaa);
    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2)
        return false;
    LLVMValueRef *parts = ARENA_NEW(&p->mem, LLVMValueRef, LLVMGetMDNodeNumOperands(tag));
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || LLVMGetMDNodeNumOperands(parts[1]) == 0)
        return false;
    LLVMValueRef *type = ARENA_NEW(&p->mem, LLVMValueRef, LLVMGetMDNodeNumOperands(parts[1]));
    LLVMGetMDNodeOperands(parts[1], type);
    unsigned len;
    const char *name = type[0] ? LLVMGetMDString(type[0], &len) : NULL;
    return name && len == 14 && memcmp(name, "vtable pointer", len) == 0;
}

/* Virtual tables are constant, but the way to them is a load. */
static bool is_in_vtable(struct pass *p, LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return LLVMIsALoadInst(address) && is_of_table(p, address);
}

bool stores_table(struct pass *p, LLVMValueRef store)
{
    LLVMValueRef base = pointer_base(LLVMGetOperand(store, 0));
    bool is_table = base && LLVMIsAGlobalVariable(base) &&
                    (is_named(base, "_ZTV") || is_named(base, "_ZTC"));
    return (is_table || is_of_table(p, store)) && naming_is_end(p, store);
}

static bool is_private(struct pass *p, LLVMValueRef address, int depth)
{
    LLVMValueRef base = pointer_base(address);
    if (base && LLVMIsAAllocaInst(base))
        return alloca_is_private(p, base);
    if (base)
        return LLVMIsGlobalConstant(base) != 0;
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    if (LLVMIsAFunction(address))
        return true;
    if (depth == 0 || (!LLVMIsAPHINode(address) && !LLVMIsASelectInst(address)))
        return is_in_vtable(p, address);
    bool is_phi = LLVMIsAPHINode(address) != NULL;
    unsigned count = is_phi ? LLVMCountIncoming(address) : 2;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef one =
            is_phi ? LLVMGetIncomingValue(address, i) : LLVMGetOperand(address, i + 1);
        if (one != address && !is_private(p, one, depth - 1))
            return false;
    }
    return true;
}

bool memory_is_private(struct pass *p, LLVMValueRef address)
{
    return is_private(p, address, 3);
}
