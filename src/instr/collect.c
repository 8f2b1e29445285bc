/* SPDX-License-Identifier: Apache-2.0
 *
 * collect: which instructions get a hook. Nothing is changed here: the answer is a list of
 * operations in the order of the code, one site each. */
#include "instr/pass.h"

#include "instr/cc.h"

#include <string.h>

/* ---- small questions -------------------------------------------------------------------- */

uint64_t store_bytes(const struct pass *p, LLVMTypeRef type)
{
    return LLVMStoreSizeOfType(p->layout, type);
}

LLVMValueRef access_address(LLVMValueRef inst)
{
    return LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : 0);
}

LLVMTypeRef access_type(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return LLVMTypeOf(inst);
    case LLVMStore:
        return LLVMTypeOf(LLVMGetOperand(inst, 0));
    default:
        return LLVMTypeOf(LLVMGetOperand(inst, 1));
    }
}

LLVMValueRef called_function(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    return callee && LLVMIsAFunction(callee) ? callee : NULL;
}

bool is_intrinsic(LLVMValueRef call, const char *prefix)
{
    LLVMValueRef callee = called_function(call);
    return callee && LLVMGetIntrinsicID(callee) != 0 && is_named(callee, prefix);
}

bool function_has(LLVMValueRef fn, const char *attribute)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    return LLVMGetEnumAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       kind) != NULL;
}

uint64_t copied_bytes(struct pass *p, LLVMValueRef call, unsigned arg)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, arg + 1, kind);
    if (!byval || memory_is_private(p, LLVMGetOperand(call, arg)))
        return 0;
    return store_bytes(p, LLVMGetTypeAttributeValue(byval));
}

/* ---- calls ------------------------------------------------------------------------------ */

/* Objects of these take part in synchronisation: which one is meant must not depend on what
 * another thread does. */
static bool is_sync(LLVMValueRef callee)
{
    static const char *const prefixes[] = {"pthread_", "sem_", "mtx_",     "cnd_",
                                           "thrd_",    "tss_", "call_once"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (is_named(callee, prefixes[i]))
            return true;
    return false;
}

/* ---- which functions --------------------------------------------------------------------- */

/* Resolvers run before the program is relocated: they can call nothing. */
static bool is_resolver(LLVMValueRef fn)
{
    LLVMModuleRef mod = LLVMGetGlobalParent(fn);
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(mod); i; i = LLVMGetNextGlobalIFunc(i))
        if (LLVMGetGlobalIFuncResolver(i) == fn)
            return true;
    return false;
}

static bool is_instrumented(const struct pass *p, LLVMValueRef fn)
{
    return !LLVMIsDeclaration(fn) && map_find(&p->ignored, key_of(fn)) == NONE &&
           !is_named(fn, "__heddle_") && !function_has(fn, "naked") &&
           !function_has(fn, "disable_sanitizer_instrumentation") && !is_resolver(fn);
}

/* Calls of it end in code that was instrumented with this unit. */
static bool is_inner(const struct pass *p, LLVMValueRef callee)
{
    return is_instrumented(p, callee) &&
           LLVMGetLinkage(callee) != LLVMAvailableExternallyLinkage;
}

/* ---- one function ----------------------------------------------------------------------- */

struct walk {
    struct pass *p;
    struct depend depend;
    struct flow flow;
    uint32_t func;
    struct map statements; /* scope and line -> number */
};

static bool any_depends(const struct walk *w, LLVMValueRef call)
{
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++)
        if (depend_may(&w->depend, LLVMGetOperand(call, i)))
            return true;
    return false;
}

/* The debugger's scope and line stand for the statement: two statements on one line of one
 * scope count as one. */
static uint32_t statement_of(struct walk *w, LLVMValueRef inst)
{
    /* Of a branch its condition is asked: the branch itself belongs to the scope around. */
    LLVMValueRef asked = LLVMIsATerminatorInst(inst) && !LLVMIsAInvokeInst(inst) &&
                                 LLVMIsAInstruction(LLVMGetOperand(inst, 0))
                             ? LLVMGetOperand(inst, 0)
                             : inst;
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(asked);
    if (!loc)
        return 0;
    loc = users_location(loc);
    uint64_t key = key_of(LLVMDILocationGetScope(loc)) * 1000003 + LLVMDILocationGetLine(loc);
    uint32_t next = w->statements.len + 1;
    uint32_t *slot = map_at(&w->statements, key);
    if (*slot == NONE)
        *slot = next;
    return *slot;
}

static const char *name_of(struct walk *w, const struct op *op)
{
    struct pass *p = w->p;
    LLVMValueRef callee;
    switch (op->kind) {
    case OP_READ:
    case OP_WRITE:
    case OP_ATOMIC_LOAD:
    case OP_ATOMIC_STORE:
    case OP_RMW:
    case OP_CAS:
        return naming_place(p, access_address(op->inst), store_bytes(p, access_type(op->inst)));
    case OP_COPY:
    case OP_SET:
        return naming_place(p, LLVMGetOperand(op->inst, op->skip_write ? 1 : 0), 0);
    case OP_STACK:
        return naming_place(p, op->inst, 0);
    case OP_LIBC:
        return naming_place(p, LLVMGetOperand(op->inst, library_main_arg(op->row)), 0);
    case OP_LIBATOMIC:
        return naming_place(p, libatomic_address(op), op->libatomic.bytes);
    case OP_MASKED:
        return masked_address(op->inst) ? naming_place(p, masked_address(op->inst), 0) : "";
    case OP_ASSEMBLY:
        return naming_place(p, assembly_address(p, op->inst), 0);
    case OP_UNSEEN:
        return "inline assembly";
    case OP_CALL:
        callee = called_function(op->inst);
        if (op->told && !op->is_sync)
            return called_name(p, op->inst);
        return callee ? naming_function(p, callee) : "";
    default:
        return "";
    }
}

/* Of a plain or atomic access: what the source calls it, where debug information knows only a
 * variable of the library's own ("__x", "_M_storage"), or none. */
static const char *better_name(struct walk *w, const struct op *op, const struct site *site)
{
    const char *plain = site->name + (*site->name == '*');
    bool is_library =
        plain[0] == '_' && (plain[1] == '_' || (plain[1] >= 'A' && plain[1] <= 'Z'));
    bool is_access = op->kind == OP_READ || op->kind == OP_WRITE ||
                     (op->kind >= OP_ATOMIC_LOAD && op->kind <= OP_CAS);
    const char *spelled = is_access && (!*plain || is_library) ? spelled_name(w->p, site) : "";
    return *spelled ? spelled : site->name;
}

static void add_op(struct walk *w, struct op op)
{
    struct pass *p = w->p;
    op.func = w->func;
    struct site site = {.function = p->sites.len > p->funcs.at[w->func].first
                                        ? p->sites.at[p->funcs.at[w->func].first].function
                                        : naming_function(p, p->funcs.at[w->func].fn)};
    vec_push(&p->ops, op);
    naming_position(p, &op, &site);
    site.name = name_of(w, &op);
    site.name = better_name(w, &op, &site);
    site.statement = op.kind == OP_FUNCTION ? 0 : statement_of(w, op.inst);
    vec_push(&p->sites, site);
}

static int address_why(const struct walk *w, LLVMValueRef address)
{
    return depend_may(&w->depend, address) ? WHY_ADDRESS : WHY_NONE;
}

static void visit_access(struct walk *w, LLVMValueRef inst, enum op_kind plain,
                         enum op_kind atomic)
{
    LLVMValueRef address = access_address(inst);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(address)) != 0 ||
        memory_is_private(w->p, address))
        return;
    bool is_plain = plain != OP_NONE && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
    if (is_plain && store_bytes(w->p, access_type(inst)) == 0)
        return;
    add_op(w,
           (struct op){.kind = is_plain ? plain : atomic,
                       .inst = inst,
                       .why = address_why(w, address),
                       .is_table = is_plain && plain == OP_WRITE && stores_table(w->p, inst)});
}

static void visit_copy(struct walk *w, LLVMValueRef call, enum op_kind kind)
{
    struct op op = {.kind = kind, .inst = call, .why = WHY_NONE};
    op.skip_write = memory_is_private(w->p, LLVMGetOperand(call, 0));
    op.skip_read = kind == OP_SET || memory_is_private(w->p, LLVMGetOperand(call, 1));
    if (op.skip_read && op.skip_write)
        return;
    if (any_depends(w, call))
        op.why = WHY_ADDRESS;
    add_op(w, op);
}

static void visit_masked(struct walk *w, LLVMValueRef call)
{
    bool writes;
    if (!masked_is(call, &writes))
        return;
    LLVMValueRef address = masked_address(call);
    if (address && memory_is_private(w->p, address))
        return;
    add_op(w, (struct op){.kind = OP_MASKED,
                          .inst = call,
                          .why = any_depends(w, call) ? WHY_ADDRESS : WHY_NONE});
}

static void visit_intrinsic(struct walk *w, LLVMValueRef call)
{
    if (is_intrinsic(call, "llvm.memcpy") || is_intrinsic(call, "llvm.memmove"))
        visit_copy(w, call, OP_COPY);
    else if (is_intrinsic(call, "llvm.memset"))
        visit_copy(w, call, OP_SET);
    else if (is_intrinsic(call, "llvm.x86.sse2.pause"))
        add_op(w, (struct op){.kind = OP_PAUSE, .inst = call, .why = WHY_NONE});
    else
        visit_masked(w, call);
}

static bool has_copies(struct walk *w, LLVMValueRef call)
{
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++)
        if (copied_bytes(w->p, call, i))
            return true;
    return false;
}

static void visit_call(struct walk *w, LLVMValueRef call)
{
    LLVMValueRef callee = called_function(call);
    if (callee && LLVMGetIntrinsicID(callee)) {
        visit_intrinsic(w, call);
        return;
    }
    if (callee && is_named(callee, "__heddle_") && !is_named(callee, "__heddle_cpu_") &&
        !is_named(callee, "__heddle_request"))
        return;
    struct op op = {.kind = OP_CALL, .inst = call, .why = WHY_NONE, .has_here = true};
    op.has_copies = has_copies(w, call);
    op.is_sync = callee && is_sync(callee);
    if (callee && is_inner(w->p, callee)) {
        op.has_here = false;
        if (op.has_copies)
            add_op(w, op);
        return;
    }
    bool depends = any_depends(w, call);
    op.row = callee ? library_find(callee, call) : NULL;
    op.libatomic =
        callee && LLVMIsACallInst(call) ? libatomic_find(callee) : (struct libatomic){0};
    if (callee && !op.row) {
        op.told = called_find(w->p, call);
        op.is_unknown = LLVMIsDeclaration(callee) && !called_is_known(callee);
    }
    if (op.row)
        op.kind = OP_LIBC;
    else if (op.libatomic.what)
        op.kind = OP_LIBATOMIC;
    if (op.kind == OP_LIBATOMIC && memory_is_private(w->p, libatomic_address(&op)))
        return;
    if (op.kind != OP_CALL && depends)
        op.why = WHY_ADDRESS;
    else if (callee && is_sync(callee) && depends)
        op.why = WHY_LOCK;
    else if (!callee && depend_may(&w->depend, LLVMGetCalledValue(call)))
        op.why = WHY_CALLEE;
    else if (depends)
        op.why = WHY_FOREIGN;
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        op.has_here = false;
        op.kind = assembly_kind(w->p, call);
        if (op.why == WHY_NONE && op.kind == OP_CALL)
            return;
    }
    add_op(w, op);
}

static void visit_branch(struct walk *w, LLVMValueRef inst)
{
    bool is_choice = LLVMGetNumSuccessors(inst) > 1;
    if (is_choice && depend_may(&w->depend, LLVMGetOperand(inst, 0)))
        add_op(w, (struct op){.kind = OP_BRANCH, .inst = inst, .why = WHY_BRANCH});
}

static void visit(struct walk *w, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        visit_access(w, inst, OP_READ, OP_ATOMIC_LOAD);
        break;
    case LLVMStore:
        visit_access(w, inst, OP_WRITE, OP_ATOMIC_STORE);
        break;
    case LLVMAtomicRMW:
        visit_access(w, inst, OP_NONE, OP_RMW);
        break;
    case LLVMAtomicCmpXchg:
        visit_access(w, inst, OP_NONE, OP_CAS);
        break;
    case LLVMFence:
        if (!LLVMIsAtomicSingleThread(inst))
            add_op(w, (struct op){.kind = OP_FENCE, .inst = inst, .why = WHY_NONE});
        break;
    case LLVMAlloca:
        if (!alloca_is_private(w->p, inst))
            add_op(w, (struct op){.kind = OP_STACK, .inst = inst, .why = WHY_NONE});
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        visit_call(w, inst);
        break;
    case LLVMBr:
    case LLVMSwitch:
    case LLVMIndirectBr:
        visit_branch(w, inst);
        break;
    default:
        break;
    }
}

/* A function in which nothing happens needs no frame. */
static bool needs_frame(const struct pass *p, const struct func *func)
{
    for (uint32_t i = func->first + 1; i < func->end; i++)
        if (p->ops.at[i].kind != OP_BRANCH)
            return true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(func->fn); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && !is_intrinsic(i, "llvm."))
                return true;
    return false;
}

static void collect_function(struct pass *p, LLVMValueRef fn)
{
    struct walk w = {.p = p, .func = p->funcs.len};
    vec_push(&p->funcs, (struct func){.fn = fn,
                                      .first = p->ops.len,
                                      .is_coroutine = function_has(fn, "presplitcoroutine")});
    struct func *func = &p->funcs.at[w.func];
    flow_build(&w.flow, &p->mem, fn);
    depend_taint(&w.depend, fn);
    add_op(&w, (struct op){.kind = OP_FUNCTION, .inst = fn, .why = WHY_NONE});
    for (uint32_t b = 0; b < w.flow.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(w.flow.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            visit(&w, i);
    func->end = p->ops.len;
    func->has_frame = !func->is_coroutine && needs_frame(p, func);
    depend_sites(p, &w.depend, func, &w.flow);
    if (!func->is_coroutine) /* other code runs while it is suspended */
        depend_thin(p, func, &w.flow);
    map_done(&w.statements);
    flow_done(&w.flow);
    depend_done(&w.depend);
}

/* By the name of the symbol, or as the source calls it. */
static void find_ignored(struct pass *p)
{
    size_t len;
    if (!p->opts->ignore || p->opts->ignore->len == 0)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) &&
            (ignore_has(p->opts->ignore, "fun:", LLVMGetValueName2(f, &len)) ||
             ignore_has(p->opts->ignore, "fun:", naming_function(p, f))))
            *map_at(&p->ignored, key_of(f)) = 1;
}

void collect_module(struct pass *p)
{
    find_ignored(p);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (is_instrumented(p, f))
            collect_function(p, f);
    depend_calls(p);
}
