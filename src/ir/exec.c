/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: one instruction after the other, with the numbers that the run had. */
#include "ir/exec.h"

#include <stdarg.h>

bool exec_stop(struct exec *x, const char *format, ...)
{
    if (x->stopped)
        return false;
    x->stopped = true;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    str_add(&x->path->reason, "%s", text);
    LLVMMetadataRef loc = x->inst ? LLVMInstructionGetDebugLoc(x->inst) : NULL;
    LLVMMetadataRef file = loc ? LLVMDIScopeGetFile(LLVMDILocationGetScope(loc)) : NULL;
    unsigned len = 0;
    const char *name = file ? LLVMDIFileGetFilename(file, &len) : NULL;
    if (name)
        str_add(&x->path->reason, " (%.*s:%u)", (int)len, name, LLVMDILocationGetLine(loc));
    x->path->stop = x->at < x->stream->items.len ? x->stream->items.at[x->at].number : NO_EVENT;
    return false;
}

/* ---- steps ------------------------------------------------------------------------------- */

void add_step(struct exec *x, struct ir_step step)
{
    vec_push(&x->path->steps, step);
}

/* The trace's number of an instruction's site. */
static uint32_t site_of(const struct exec *x, LLVMValueRef inst)
{
    ir_place place = inst ? place_of(x->ir, inst) : NONE;
    return place == NONE ? NONE : x->site_of_place[place];
}

static void add_condition(struct exec *x, enum ir_kind kind, enum ir_why why, LLVMValueRef inst,
                          term condition)
{
    add_step(x, (struct ir_step){.kind = (uint8_t)kind,
                                 .why = (uint8_t)why,
                                 .site = site_of(x, inst),
                                 .term = condition,
                                 .event = x->last_event});
}

void add_guard(struct exec *x, enum ir_why why, LLVMValueRef inst, term condition)
{
    if (!term_is_const(x->pool, condition))
        add_condition(x, IR_GUARD, why, inst, condition);
}

void add_check(struct exec *x, enum ir_why why, LLVMValueRef inst, term condition)
{
    if (!term_is_const(x->pool, condition))
        add_condition(x, IR_CHECK, why, inst, condition);
}

void fix_value(struct exec *x, enum ir_why why, LLVMValueRef inst, struct val *v)
{
    for (uint32_t i = 0; i < v->part_count; i++)
        fix_value(x, why, inst, &v->parts[i]);
    if (v->term == NONE)
        return;
    add_guard(x, why, inst, term_eq(x->pool, v->term, term_const(x->pool, v->width, v->bits)));
    v->term = NONE;
    struct ir_fixed *fixed = &x->path->fixed;
    fixed->foreign += why == IR_FOREIGN || why == IR_LOCK || why == IR_CALLEE;
    fixed->floats += why == IR_FLOAT;
    fixed->addresses += why == IR_ADDRESS;
}

/* ---- values ------------------------------------------------------------------------------ */

static struct frame *top(struct exec *x)
{
    return &x->frames.at[x->frames.len - 1];
}

/* A place that has become known takes the place of the one that was made up. */
static struct val as_in_run(struct exec *x, struct val v)
{
    if (v.is_known && v.width == 64 && v.term == NONE && v.bits >= MADE_UP)
        v.bits = object_real(x, (uint64_t)v.bits);
    return v;
}

struct val value_of(struct exec *x, LLVMValueRef v)
{
    uint32_t at = map_find(&top(x)->locals, key_of(v));
    if (at != NONE)
        return as_in_run(x, x->vals.at[at]);
    if (LLVMIsConstant(v))
        return as_in_run(x, constant_value(x, v));
    return val_unknown(x, LLVMTypeOf(v));
}

void set_value(struct exec *x, LLVMValueRef inst, struct val v)
{
    uint32_t *slot = map_at(&top(x)->locals, key_of(inst));
    if (*slot != NONE) {
        x->vals.at[*slot] = v;
        return;
    }
    *slot = x->vals.len;
    vec_push(&x->vals, v);
}

/* ---- control ----------------------------------------------------------------------------- */

/* All phis of a block happen at once. */
void enter_block(struct exec *x, LLVMBasicBlockRef block)
{
    struct frame *f = top(x);
    VEC(struct val) found = {0};
    LLVMValueRef first = LLVMGetFirstInstruction(block), i;
    for (i = first; i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        unsigned count = LLVMCountIncoming(i), k = 0;
        while (k < count && LLVMGetIncomingBlock(i, k) != f->block)
            k++;
        vec_push(&found, k < count ? value_of(x, LLVMGetIncomingValue(i, k))
                                   : val_unknown(x, LLVMTypeOf(i)));
    }
    uint32_t n = 0;
    for (i = first; i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        set_value(x, i, found.at[n++]);
    vec_done(&found);
    f = top(x);
    f->before = f->block;
    f->block = block;
    f->inst = i;
}

static bool exec_branch(struct exec *x, LLVMValueRef inst)
{
    if (!LLVMIsConditional(inst)) {
        enter_block(x, LLVMGetSuccessor(inst, 0));
        return true;
    }
    struct val c = value_of(x, LLVMGetCondition(inst));
    if (!c.is_known)
        return exec_stop(x, "a condition is not known");
    unsigned taken = c.bits ? 0 : 1;
    LLVMBasicBlockRef to = LLVMGetSuccessor(inst, taken);
    if (c.term != NONE) {
        term holds = taken == 0 ? c.term : term_not(x->pool, c.term);
        enum ir_why why = IR_NO_REASON;
        term fails = failing_if(x, LLVMGetSuccessor(inst, 1 - taken), CONDITIONS_MAX, &why);
        if (fails != NONE)
            add_check(x, why, inst, term_and(x->pool, term_not(x->pool, holds), fails));
        add_guard(x, IR_BRANCH, inst, holds);
    }
    enter_block(x, to);
    return true;
}

/* The condition under which a switch goes to a block: one of its cases, or, for the default,
 * none of those that go elsewhere. */
static term goes_to(struct exec *x, LLVMValueRef inst, term value, LLVMBasicBlockRef block)
{
    bool is_default = LLVMGetSwitchDefaultDest(inst) == block;
    unsigned count = (unsigned)LLVMGetNumOperands(inst);
    term any = term_const(x->pool, 1, 0);
    for (unsigned i = 2; i + 1 < count; i += 2) {
        if ((LLVMValueAsBasicBlock(LLVMGetOperand(inst, i + 1)) == block) == is_default)
            continue;
        struct val one = value_of(x, LLVMGetOperand(inst, i));
        any = term_or(x->pool, any, term_eq(x->pool, value, val_term(x, &one)));
    }
    return is_default ? term_not(x->pool, any) : any;
}

/* The ways that end in a failure, each of them once. */
static void check_ways(struct exec *x, LLVMValueRef inst, term value, LLVMBasicBlockRef taken)
{
    unsigned count = LLVMGetNumSuccessors(inst);
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(inst, i);
        bool is_first = to != taken;
        for (unsigned k = 0; k < i && is_first; k++)
            is_first = LLVMGetSuccessor(inst, k) != to;
        enum ir_why why = is_first ? failing_block(x, to) : IR_NO_REASON;
        if (why != IR_NO_REASON)
            add_check(x, why, inst, goes_to(x, inst, value, to));
    }
}

static bool exec_switch(struct exec *x, LLVMValueRef inst)
{
    struct val v = value_of(x, LLVMGetOperand(inst, 0));
    unsigned count = (unsigned)LLVMGetNumOperands(inst);
    LLVMBasicBlockRef to = LLVMGetSwitchDefaultDest(inst);
    if (!v.is_known)
        return exec_stop(x, "the value of a switch is not known");
    for (unsigned i = 2; i + 1 < count; i += 2)
        if (value_of(x, LLVMGetOperand(inst, i)).bits == v.bits)
            to = LLVMValueAsBasicBlock(LLVMGetOperand(inst, i + 1));
    if (v.term != NONE) {
        check_ways(x, inst, v.term, to);
        add_guard(x, IR_BRANCH, inst, goes_to(x, inst, v.term, to));
    }
    enter_block(x, to);
    return true;
}

/* ---- one instruction --------------------------------------------------------------------- */

static bool exec_alloca(struct exec *x, LLVMValueRef inst)
{
    struct val count = value_of(x, LLVMGetOperand(inst, 0));
    fix_value(x, IR_ADDRESS, inst, &count);
    uint64_t each = LLVMABISizeOfType(x->ir->units.at[0].layout, LLVMGetAllocatedType(inst));
    if (!count.is_known || count.bits > UINT32_MAX)
        return exec_stop(x, "a local of unknown size");
    uint64_t base = object_make(x, each * (uint64_t)count.bits, NULL);
    uint32_t early = map_find(&x->early, key_of(inst));
    if (early != NONE) {
        object_at(x, base)->real = x->early_addr.at[early];
        map_remove(&x->early, key_of(inst));
    }
    set_value(x, inst, val_number(64, base));
    return true;
}

static bool exec_freeze(struct exec *x, LLVMValueRef inst)
{
    set_value(x, inst, value_of(x, LLVMGetOperand(inst, 0)));
    return true;
}

/* It tells nothing but that it happened. */
static bool exec_fence(struct exec *x, LLVMValueRef inst)
{
    const struct seen *it = next_item(x);
    if (place_of(x->ir, inst) == NONE)
        return true;
    if (!it || it->kind != EV_FENCE || x->place_of_site[it->site] != place_of(x->ir, inst))
        return exec_stop(x, "a fence was expected");
    add_step(x, (struct ir_step){
                    .kind = IR_SYNC, .site = it->site, .term = NONE, .event = it->number});
    take_item(x);
    return true;
}

static bool exec_address(struct exec *x, LLVMValueRef inst)
{
    set_value(x, inst, element_address(x, inst));
    return true;
}

static bool exec_resume(struct exec *x, LLVMValueRef inst)
{
    (void)inst;
    return exec_unwind(x);
}

static bool exec_end(struct exec *x, LLVMValueRef inst)
{
    (void)inst;
    return exec_stop(x, "the program's end");
}

static bool exec_unknown(struct exec *x, LLVMValueRef inst)
{
    (void)inst;
    return exec_stop(x, "an instruction that is not modelled");
}

/* By opcode; what is not listed is arithmetic. */
static bool (*const handlers[])(struct exec *x, LLVMValueRef inst) = {
    [LLVMBr] = exec_branch,
    [LLVMSwitch] = exec_switch,
    [LLVMRet] = exec_return,
    [LLVMCall] = exec_call,
    [LLVMInvoke] = exec_call,
    [LLVMLoad] = exec_load,
    [LLVMStore] = exec_store,
    [LLVMAtomicRMW] = exec_rmw,
    [LLVMAtomicCmpXchg] = exec_cas,
    [LLVMFence] = exec_fence,
    [LLVMAlloca] = exec_alloca,
    [LLVMGetElementPtr] = exec_address,
    [LLVMICmp] = exec_compare,
    [LLVMSelect] = exec_select,
    [LLVMExtractValue] = exec_extract,
    [LLVMInsertValue] = exec_insert,
    [LLVMExtractElement] = exec_element,
    [LLVMInsertElement] = exec_element,
    [LLVMFreeze] = exec_freeze,
    [LLVMTrunc] = exec_cast,
    [LLVMZExt] = exec_cast,
    [LLVMSExt] = exec_cast,
    [LLVMPtrToInt] = exec_cast,
    [LLVMIntToPtr] = exec_cast,
    [LLVMBitCast] = exec_cast,
    [LLVMAddrSpaceCast] = exec_cast,
    [LLVMFAdd] = exec_float,
    [LLVMFSub] = exec_float,
    [LLVMFMul] = exec_float,
    [LLVMFDiv] = exec_float,
    [LLVMFRem] = exec_float,
    [LLVMFNeg] = exec_float,
    [LLVMFCmp] = exec_float,
    [LLVMFPToSI] = exec_float,
    [LLVMFPToUI] = exec_float,
    [LLVMSIToFP] = exec_float,
    [LLVMUIToFP] = exec_float,
    [LLVMFPTrunc] = exec_float,
    [LLVMFPExt] = exec_float,
    [LLVMLandingPad] = exec_landing_pad,
    [LLVMResume] = exec_resume,
    [LLVMUnreachable] = exec_end,
    [LLVMIndirectBr] = exec_unknown,
    [LLVMCallBr] = exec_unknown,
    [LLVMVAArg] = exec_unknown,
    [LLVMShuffleVector] = exec_unknown,
};

static bool exec_instruction(struct exec *x, LLVMValueRef inst)
{
    unsigned op = LLVMGetInstructionOpcode(inst);
    bool is_listed = op < sizeof handlers / sizeof handlers[0] && handlers[op];
    return is_listed ? handlers[op](x, inst) : exec_binary(x, inst);
}

bool exec_step(struct exec *x)
{
    struct frame *f = top(x);
    LLVMValueRef inst = f->inst;
    if (!inst)
        return exec_stop(x, "a block without end");
    f->inst = LLVMGetNextInstruction(inst);
    x->path->instructions++;
    x->inst = inst;
    return exec_instruction(x, inst);
}
