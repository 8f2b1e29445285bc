/* SPDX-License-Identifier: Apache-2.0
 *
 * depend: what may depend on what was read, inside one function, along definitions and uses.
 * Loaded values, arguments and results of calls may depend on anything; constants, addresses of
 * objects and what is computed from them alone do not. Branch events stand on this: leaving one
 * out that is needed would make prediction unsound, so whatever is not understood depends. */
#include "instr/pass.h"

/* Intrinsics that are nothing but arithmetic on their operands. */
static bool is_arithmetic(LLVMValueRef call)
{
    static const char *const pure[] = {
        "llvm.threadlocal.address",
        "llvm.stacksave",
        "llvm.frameaddress",
        "llvm.expect",
        "llvm.umin",
        "llvm.umax",
        "llvm.smin",
        "llvm.smax",
        "llvm.abs",
        "llvm.ctpop",
        "llvm.ctlz",
        "llvm.cttz",
        "llvm.bswap",
        "llvm.fabs",
        "llvm.fshl",
        "llvm.fshr",
        "llvm.uadd.",
        "llvm.sadd.",
        "llvm.usub.",
        "llvm.ssub.",
        "llvm.umul.",
        "llvm.smul.",
        "llvm.is.constant",
        "llvm.objectsize",
    };
    for (unsigned i = 0; i < sizeof pure / sizeof pure[0]; i++)
        if (is_intrinsic(call, pure[i]))
            return true;
    return false;
}

static bool is_source(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMVAArg:
    case LLVMLandingPad:
        return true;
    case LLVMCall:
        return LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind && !is_arithmetic(inst);
    default:
        return false;
    }
}

static void taint(struct depend *d, LLVMValueRef value)
{
    uint32_t *slot = map_at(&d->tainted, key_of(value));
    if (*slot == NONE) {
        *slot = 1;
        vec_push(&d->work, value);
    }
}

void depend_taint(struct depend *d, LLVMValueRef fn)
{
    for (LLVMValueRef arg = LLVMGetFirstParam(fn); arg; arg = LLVMGetNextParam(arg))
        taint(d, arg);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_source(i))
                taint(d, i);
    while (d->work.len) {
        LLVMValueRef value = d->work.at[--d->work.len];
        for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (LLVMIsAInstruction(user) && !LLVMIsAAllocaInst(user))
                taint(d, user);
        }
    }
}

bool depend_may(const struct depend *d, LLVMValueRef value)
{
    return map_find(&d->tainted, key_of(value)) != NONE;
}

void depend_done(struct depend *d)
{
    map_done(&d->tainted);
    map_done(&d->seen);
    vec_done(&d->work);
}

/* ---- which sites a site depends on ------------------------------------------------------ */

struct search {
    struct pass *p;
    struct depend *d;
    const struct flow *flow;
    const struct map *site_of; /* instruction that reads -> its site */
    struct across of;          /* what depends on what is found */
    uint32_t looked, first;    /* first: in pass.depends */
};

static void look_at(struct search *s, LLVMValueRef value)
{
    if (!value || s->looked >= SEARCH_MAX || !LLVMIsAInstruction(value))
        return;
    uint32_t *slot = map_at(&s->d->seen, key_of(value));
    if (*slot == s->d->round)
        return;
    *slot = s->d->round;
    s->looked++;
    vec_push(&s->d->work, value);
}

/* What decides how a block ends. */
static void look_at_end(struct search *s, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    unsigned opcode = LLVMGetInstructionOpcode(end);
    if (opcode == LLVMSwitch || (opcode == LLVMBr && LLVMIsConditional(end)))
        look_at(s, LLVMGetOperand(end, 0));
}

/* What decides whether a block is reached. */
static void look_at_control(struct search *s, LLVMBasicBlockRef block)
{
    const struct flow *flow = s->flow;
    uint32_t b = map_find(&flow->index, key_of(block));
    for (uint32_t c = flow->control_at[b]; c < flow->control_at[b + 1]; c++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(flow->blocks[flow->control[c]]);
        if (LLVMGetInstructionOpcode(end) != LLVMInvoke)
            look_at(s, LLVMGetOperand(end, 0));
    }
}

/* Which of several values a function gives back is decided by the way it has come. */
static void look_at_ways(struct search *s, LLVMValueRef phi)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        look_at_end(s, LLVMGetIncomingBlock(phi, i));
        look_at_control(s, LLVMGetIncomingBlock(phi, i));
    }
}

/* A local whose address is handed on: what is stored there. */
static void look_at_stored(struct search *s, LLVMValueRef local)
{
    for (LLVMUseRef u = LLVMGetFirstUse(local); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == local)
            look_at(s, LLVMGetOperand(user, 0));
        else if (LLVMIsAGetElementPtrInst(user) && LLVMIsAAllocaInst(local))
            look_at_stored(s, user);
    }
}

static void found_site(struct search *s, uint32_t site)
{
    struct across found = s->of;
    found.site = site;
    if (s->of.what != ACROSS_SITE)
        vec_push(&s->p->across, found);
    else if (s->p->depends.len - s->first < DEPENDS_KEPT)
        vec_push(&s->p->depends, site);
}

static void found_call(struct search *s, LLVMValueRef call)
{
    struct across found = s->of;
    found.callee = called_function(call);
    if (found.callee && !LLVMIsDeclaration(found.callee))
        vec_push(&s->p->across, found);
}

/* Reads end the search: what they depend on is theirs to say. */
static void search_run(struct search *s)
{
    while (s->d->work.len) {
        LLVMValueRef value = s->d->work.at[--s->d->work.len];
        uint32_t site = map_find(s->site_of, key_of(value));
        if (site != NONE) {
            found_site(s, site);
            continue;
        }
        if (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value))
            found_call(s, value);
        if (LLVMIsAAllocaInst(value))
            look_at_stored(s, value);
        if (LLVMIsAPHINode(value) && s->of.what == ACROSS_RESULT)
            look_at_ways(s, value);
        unsigned count = (unsigned)LLVMGetNumOperands(value);
        for (unsigned i = 0; i < count; i++)
            look_at(s, LLVMGetOperand(value, i));
    }
}

static void look_at_operands(struct search *s, LLVMValueRef inst)
{
    unsigned count = (unsigned)LLVMGetNumOperands(inst);
    s->d->round++;
    for (unsigned k = 0; k < count; k++)
        look_at(s, LLVMGetOperand(inst, k));
}

/* What a function gives back, and how it comes to call others of this unit. */
static void depend_across(struct search *s)
{
    for (uint32_t b = 0; b < s->flow->count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->flow->blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            bool call = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i);
            LLVMValueRef callee = call ? called_function(i) : NULL;
            if (!LLVMIsAReturnInst(i) && !(callee && !LLVMIsDeclaration(callee)))
                continue;
            s->looked = 0;
            s->of.what = callee ? ACROSS_ENTRY : ACROSS_RESULT;
            s->of.of = callee ? callee : s->of.fn;
            look_at_operands(s, i);
            if (callee)
                look_at_control(s, s->flow->blocks[b]);
            search_run(s);
        }
}

static bool gives_value(const struct op *op)
{
    enum op_kind kind = op->kind;
    return op->told || kind == OP_READ || kind == OP_ATOMIC_LOAD || kind == OP_RMW ||
           kind == OP_CAS || kind == OP_LIBC || kind == OP_LIBATOMIC || kind == OP_MASKED ||
           kind == OP_ASSEMBLY;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void depend_sites(struct pass *p, struct depend *d, const struct func *func,
                  const struct flow *flow)
{
    struct map site_of = {0};
    for (uint32_t i = func->first + 1; i < func->end; i++)
        if (gives_value(&p->ops.at[i]))
            *map_at(&site_of, key_of(p->ops.at[i].inst)) = i;
    for (uint32_t i = func->first + 1; i < func->end; i++) {
        LLVMValueRef inst = p->ops.at[i].inst;
        struct search s = {.p = p,
                           .d = d,
                           .flow = flow,
                           .site_of = &site_of,
                           .of = {.what = ACROSS_SITE, .user = i, .site = NONE},
                           .first = p->depends.len};
        look_at_operands(&s, inst);
        look_at_control(&s, LLVMGetInstructionParent(inst));
        search_run(&s);
        struct site *site = &p->sites.at[i];
        site->depends_at = s.first;
        site->depends_count = p->depends.len - s.first;
        if (site->depends_count)
            qsort(p->depends.at + s.first, site->depends_count, sizeof(uint32_t), compare_u32);
    }
    struct search s = {.p = p, .d = d, .flow = flow, .site_of = &site_of};
    s.of = (struct across){.fn = func->fn, .site = NONE};
    depend_across(&s);
    map_done(&site_of);
}

/* ---- implicit branch events that add nothing -------------------------------------------- */

static bool may_read(const struct op *op)
{
    return gives_value(op) || op->kind == OP_COPY || op->kind == OP_CALL ||
           op->kind == OP_UNSEEN;
}

/* A call that is no operation itself: into code of the same unit, which may read. */
static bool is_inner_call(LLVMValueRef inst)
{
    LLVMOpcode code = LLVMGetInstructionOpcode(inst);
    return (code == LLVMCall || code == LLVMInvoke || code == LLVMCallBr) &&
           !is_intrinsic(inst, "llvm.");
}

struct thin {
    uint32_t *from; /* block b's operations: [from[b], from[b + 1]) */
    bool *tail;     /* an inner call stands behind the last of them */
    bool *clean;    /* behind the block: a branch event was passed and nothing read since */
};

/* Finds the block's operations, beginning with number i; returns the number behind them. */
static uint32_t scan_block(struct pass *p, uint32_t i, uint32_t end, LLVMBasicBlockRef block,
                           bool *tail)
{
    bool called = false;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
         at = LLVMGetNextInstruction(at)) {
        if (i < end && p->ops.at[i].inst == at) {
            p->ops.at[i++].after_call = called;
            called = false;
        } else {
            called |= is_inner_call(at);
        }
    }
    *tail = called;
    return i;
}

static bool pass_block(struct pass *p, const struct thin *t, uint32_t b, bool clean, bool drop)
{
    for (uint32_t i = t->from[b]; i < t->from[b + 1]; i++) {
        struct op *op = &p->ops.at[i];
        clean &= !op->after_call;
        if (op->why > WHY_BRANCH && clean && drop)
            op->why = WHY_NONE;
        clean = (clean || op->why != WHY_NONE) && !may_read(op);
    }
    return clean && !t->tail[b];
}

void depend_thin(struct pass *p, const struct func *func, const struct flow *flow)
{
    struct thin t = {.from = ARENA_NEW(&p->mem, uint32_t, flow->count + 1),
                     .tail = ARENA_NEW(&p->mem, bool, flow->count),
                     .clean = ARENA_NEW(&p->mem, bool, flow->count)};
    t.from[0] = func->first + 1;
    for (uint32_t b = 0; b < flow->count; b++) {
        t.from[b + 1] = scan_block(p, t.from[b], func->end, flow->blocks[b], &t.tail[b]);
        t.clean[b] = true;
    }
    for (int drop = 0; drop < 2; drop++) {
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = 0; b < flow->count; b++) {
                bool clean = b > 0;
                for (uint32_t e = flow->pred_at[b]; e < flow->pred_at[b + 1]; e++)
                    clean &= t.clean[flow->pred[e]];
                clean = pass_block(p, &t, b, clean, drop);
                changed |= clean != t.clean[b];
                t.clean[b] = clean;
            }
        }
    }
}
