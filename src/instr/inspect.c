/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect: what the pass could not see, or sees as less than it is, in the modules that a
 * program carries (section heddle_bitcode). */
#include "instr/insert.h"

#include "base/io.h"
#include "heddle/bitcode.h"
#include "ir/ir.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_BYTES = 16 };

struct inspection {
    instr_remark_fn found;
    void *arg;
    struct pass pass; /* of the module that is looked at: what questions about it need */
};

static void remark(const struct inspection *x, LLVMValueRef inst, enum instr_remark_kind kind,
                   struct text callee)
{
    unsigned len = 0;
    size_t name_len;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
    const char *file = LLVMGetDebugLocFilename(inst, &len);
    struct instr_remark r = {.kind = kind,
                             .callee = callee,
                             .file = {file ? file : "", len},
                             .line = LLVMGetDebugLocLine(inst)};
    r.function.at = LLVMGetValueName2(function, &name_len);
    r.function.len = (uint32_t)name_len;
    x->found(x->arg, &r);
}

/* The type that a load or store moves; NULL for anything else. */
static LLVMTypeRef moved_type(LLVMValueRef inst)
{
    if (LLVMIsALoadInst(inst))
        return LLVMTypeOf(inst);
    return LLVMIsAStoreInst(inst) ? LLVMTypeOf(LLVMGetOperand(inst, 0)) : NULL;
}

/* As the runtime refuses them. */
static bool is_refused(LLVMValueRef callee)
{
    static const char *const names[] = {"setcontext", "swapcontext", "clone"};
    size_t len;
    const char *name = LLVMGetValueName2(callee, &len);
    for (size_t i = 0; LLVMIsAFunction(callee) && i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return true;
    return false;
}

static void inspect_instruction(struct inspection *x, LLVMValueRef inst)
{
    LLVMTypeRef type = moved_type(inst);
    if (type && LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
        LLVMStoreSizeOfType(x->pass.layout, type) > VECTOR_BYTES)
        remark(x, inst, REMARK_VECTOR, TEXT(""));
    if (!LLVMIsACallInst(inst) && !LLVMIsAInvokeInst(inst))
        return;
    LLVMValueRef callee = LLVMGetCalledValue(inst);
    size_t len;
    if (LLVMIsAInlineAsm(callee)) {
        if (assembly_kind(&x->pass, inst) == OP_UNSEEN)
            remark(x, inst, REMARK_ASSEMBLY, TEXT(""));
    } else if (is_refused(callee)) {
        const char *name = LLVMGetValueName2(callee, &len);
        remark(x, inst, REMARK_CALL, (struct text){name, (uint32_t)len});
    }
}

static void inspect_module(struct inspection *x, LLVMModuleRef mod)
{
    x->pass = (struct pass){.layout = LLVMGetModuleDataLayout(mod)};
    x->pass.md_tbaa = LLVMGetMDKindIDInContext(LLVMGetModuleContext(mod), "tbaa", 4);
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                inspect_instruction(x, i);
    map_done(&x->pass.private_allocas);
    arena_done(&x->pass.mem);
}

static int inspect_unit(struct inspection *x, const uint8_t *packed, size_t len,
                        struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    if (bytes_new(&b, len, err) < 0)
        return -1;
    memcpy((void *)(uintptr_t)b.at, packed, len);
    if (bytes_unpack(&b, err) < 0)
        return -1;
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)b.at, b.len, "unit");
    LLVMModuleRef mod = NULL;
    int failed = LLVMParseBitcodeInContext2(ctx, buffer, &mod);
    if (!failed) {
        inspect_module(x, mod);
        LLVMDisposeModule(mod);
    }
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(ctx);
    return failed ? err_set(err, "a module in the program cannot be read") : 0;
}

int instr_inspect(const struct bytes *section, instr_remark_fn found, void *arg,
                  struct err *err)
{
    struct inspection x = {.found = found, .arg = arg};
    struct bitcode_frame frame;
    if (ir_load(err) < 0)
        return -1;
    for (size_t at = 0; at + sizeof frame <= section->len;) {
        memcpy(&frame, section->at + at, sizeof frame);
        at += sizeof frame;
        if (frame.magic != BITCODE_MAGIC || frame.packed_bytes > section->len - at)
            return err_set(err, "the modules in the program are damaged");
        if (inspect_unit(&x, section->at + at, frame.packed_bytes, err) < 0)
            return -1;
        at += (frame.packed_bytes + 7) / 8 * 8;
    }
    return 0;
}
