/* SPDX-License-Identifier: Apache-2.0
 *
 * pass: the whole way of one module. See pass.h for the order of things and docs/instr.md for
 * the reasons. */
#include "instr/pass.h"

#include "ir/ir.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

/* ---- load and promote ------------------------------------------------------------------- */

static int load(struct pass *p, const char *path, struct err *err)
{
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        err_set(err, "%s: %s", path, message);
        LLVMDisposeMessage(message);
        return -1;
    }
    p->ctx = LLVMContextCreate();
    int failed = LLVMParseBitcodeInContext2(p->ctx, buffer, &p->mod);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed) {
        p->mod = NULL;
        return err_set(err, "internal error: clang's bitcode for %s cannot be read",
                       p->opts->source);
    }
    p->layout = LLVMGetModuleDataLayout(p->mod);
    p->t_void = LLVMVoidTypeInContext(p->ctx);
    p->t_ptr = LLVMPointerTypeInContext(p->ctx, 0);
    p->t_i8 = LLVMInt8TypeInContext(p->ctx);
    p->t_i16 = LLVMInt16TypeInContext(p->ctx);
    p->t_i32 = LLVMInt32TypeInContext(p->ctx);
    p->t_i64 = LLVMInt64TypeInContext(p->ctx);
    p->md_site = LLVMGetMDKindIDInContext(p->ctx, "heddle.site", 11);
    p->md_dbg = LLVMGetMDKindIDInContext(p->ctx, "dbg", 3);
    p->md_tbaa = LLVMGetMDKindIDInContext(p->ctx, "tbaa", 4);
    return 0;
}

static LLVMValueRef base_of(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return address;
}

enum { LOCAL_DEPTH = 8 }; /* methods that were inlined into each other */

/* Does it point to a local? Also by way of another local, as `this` of a method that was
 * inlined does: then all that is ever kept there points to locals. */
static bool is_local(LLVMValueRef address, unsigned depth)
{
    if (LLVMIsAAllocaInst(address))
        return true;
    LLVMValueRef slot = LLVMIsALoadInst(address) ? base_of(LLVMGetOperand(address, 0)) : NULL;
    if (!slot || !LLVMIsAAllocaInst(slot) || depth == 0)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(slot); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == slot) {
            if (!is_local(base_of(LLVMGetOperand(user, 0)), depth - 1))
                return false;
        } else if (!LLVMIsALoadInst(user) && !LLVMIsAIntrinsicInst(user)) {
            return false;
        }
    }
    return true;
}

/* Promotion removes what nobody uses, and with `int unused = shared;` a read that the source
 * has. Such loads are pinned by calling them volatile until it is over. */
static void pin_load(struct pass *p, LLVMValueRef load, bool pin, unsigned kind)
{
    if (!pin) {
        if (LLVMGetMetadata(load, kind)) {
            LLVMSetVolatile(load, false);
            LLVMSetMetadata(load, kind, NULL);
        }
        return;
    }
    LLVMValueRef address = base_of(LLVMGetOperand(load, 0));
    if (LLVMGetVolatile(load) || LLVMIsAPHINode(address) || LLVMIsASelectInst(address) ||
        is_local(address, LOCAL_DEPTH))
        return;
    LLVMMetadataRef empty = LLVMMDNodeInContext2(p->ctx, NULL, 0);
    LLVMSetVolatile(load, true);
    LLVMSetMetadata(load, kind, LLVMMetadataAsValue(p->ctx, empty));
}

static void pin_loads(struct pass *p, bool pin)
{
    unsigned kind = LLVMGetMDKindIDInContext(p->ctx, "heddle.pin", 10);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsALoadInst(i))
                    pin_load(p, i, pin, kind);
}

static int run_passes(struct pass *p, const char *passes, struct err *err)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(p->mod, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!failed)
        return 0;
    char *message = LLVMGetErrorMessage(failed);
    err_set(err, "internal error: %s: %s", p->opts->source, message);
    LLVMDisposeErrorMessage(message);
    return -1;
}

/* Wrappers of the library disappear and locals that do not escape become values; nothing else:
 * every other clean-up takes away accesses that the source has, and bugs with them. */
static int promote(struct pass *p, struct err *err)
{
    inline_mark(p);
    if (run_passes(p, "always-inline", err) < 0)
        return -1;
    pin_loads(p, true);
    int result = run_passes(p, "function(sroa<preserve-cfg>)", err);
    pin_loads(p, false);
    clear_undefined(p);
    return result;
}

/* ---- number and keep -------------------------------------------------------------------- */

static void mark_sites(struct pass *p)
{
    for (uint32_t i = 0; i < p->ops.len; i++) {
        const struct op *op = &p->ops.at[i];
        LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(p->t_i32, i, false));
        LLVMMetadataRef node = LLVMMDNodeInContext2(p->ctx, &number, 1);
        if (op->kind == OP_FUNCTION)
            LLVMGlobalSetMetadata(op->inst, p->md_site, node);
        else
            LLVMSetMetadata(op->inst, p->md_site, LLVMMetadataAsValue(p->ctx, node));
    }
}

/* ---- list ------------------------------------------------------------------------------- */

static const char *kind_text(const struct pass *p, const struct op *op)
{
    bool is_range = op->kind == OP_READ || op->kind == OP_WRITE
                        ? store_bytes(p, access_type(op->inst)) > 8
                        : false;
    switch (op->kind) {
    case OP_READ:
        return is_range ? "read-range" : "read";
    case OP_WRITE:
        return is_range ? "write-range" : "write";
    case OP_COPY:
        return op->skip_read ? "copy-to" : op->skip_write ? "copy-from" : "copy";
    case OP_SET:
        return "set";
    case OP_LIBC:
        return "text-call";
    case OP_ATOMIC_LOAD:
        return "load";
    case OP_ATOMIC_STORE:
        return "store";
    case OP_RMW:
        return "rmw";
    case OP_CAS:
        return "cas";
    case OP_FENCE:
        return "fence";
    case OP_LIBATOMIC:
        return "atomic-call";
    case OP_MASKED:
        return "masked";
    case OP_PAUSE:
        return "pause";
    case OP_ASSEMBLY:
        return "assembly";
    case OP_UNSEEN:
        return "unseen";
    case OP_BRANCH:
        return "branch";
    case OP_CALL:
        return op->has_copies ? "call-copy" : "call";
    case OP_STACK:
        return "stack";
    default:
        return "function";
    }
}

/* Separated by tabs: ordinal, FILE:LINE:COLUMN, function, kind, name or -, statement, why a
 * branch event comes first or -, ordinals it depends on or -. */
static void list_sites(const struct pass *p, struct str *out)
{
    static const char *const why[] = {"branch", "address", "lock", "callee", "foreign"};
    for (uint32_t i = 0; i < p->ops.len; i++) {
        const struct op *op = &p->ops.at[i];
        const struct site *s = &p->sites.at[i];
        str_add(out, "%u\t%s:%u:%u\t%s\t%s\t%s", i, s->file, s->line, s->column, s->function,
                kind_text(p, op), *s->name ? s->name : "-");
        str_add(out, "\t%u\t%s\t", s->statement, op->why == WHY_NONE ? "-" : why[op->why]);
        for (uint32_t k = 0; k < s->depends_count; k++)
            str_add(out, "%s%u", k ? "," : "", p->depends.at[s->depends_at + k]);
        str_add(out, "%s\n", s->depends_count ? "" : "-");
    }
}

/* ---- all -------------------------------------------------------------------------------- */

static int write_out(struct pass *p, const char *path, struct err *err)
{
    char *message = NULL;
    int broken = LLVMVerifyModule(p->mod, LLVMReturnStatusAction, &message);
    if (broken)
        err_set(err, "internal error: instrumenting %s made an invalid module: %s",
                p->opts->source, message);
    LLVMDisposeMessage(message);
    if (broken)
        return -1;
    if (LLVMWriteBitcodeToFile(p->mod, path) != 0)
        return err_set(err, "%s: cannot be written", path);
    return 0;
}

static int run(struct pass *p, const char *in, const char *out, struct err *err)
{
    if (load(p, in, err) < 0)
        return -1;
    lift_assembly(p);
    if (promote(p, err) < 0)
        return -1;
    LLVMSetIsNewDbgInfoFormat(p->mod, false); /* the C interface reads variables only so */
    naming_learn(p);
    LLVMSetIsNewDbgInfoFormat(p->mod, true);
    collect_module(p);
    if (p->opts->list) {
        list_sites(p, p->opts->list);
        return 0;
    }
    mark_sites(p);
    p->kept = LLVMWriteBitcodeToMemoryBuffer(p->mod);
    tables_declare(p);
    insert_hooks(p);
    if (tables_fill(p, err) < 0)
        return -1;
    return write_out(p, out, err);
}

static void done(struct pass *p)
{
    if (p->kept)
        LLVMDisposeMemoryBuffer(p->kept);
    if (p->mod)
        LLVMDisposeModule(p->mod);
    if (p->ctx)
        LLVMContextDispose(p->ctx);
    vec_done(&p->ops);
    vec_done(&p->sites);
    vec_done(&p->depends);
    vec_done(&p->across);
    vec_done(&p->funcs);
    vec_done(&p->variable);
    map_done(&p->ignored);
    map_done(&p->private_allocas);
    map_done(&p->variables);
    map_done(&p->places);
    bytes_done(&p->spelled.bytes);
    arena_done(&p->mem);
}

int instr_module(const char *in, const char *out, const struct instr_opts *opts,
                 struct err *err)
{
    if (ir_load(err) < 0)
        return -1;
    struct pass p = {.opts = opts};
    int failed = run(&p, in, out, err);
    done(&p);
    return failed;
}
