/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: one instruction after the other, with the numbers that the run had. */
#include "ir/exec.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

bool stop(struct exec *x, const char *format, ...)
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

/* The trace's number of an instruction's site, by the event at hand if that is its own. */
static uint32_t site_of(const struct exec *x, LLVMValueRef inst)
{
    ir_place place = inst ? place_of(x->ir, inst) : NONE;
    for (uint32_t i = 0; place != NONE && i < x->trace->sites.len; i++)
        if (x->place_of_site[i] == place)
            return i;
    return NONE;
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
        return stop(x, "a condition is not known");
    unsigned taken = c.bits ? 0 : 1;
    LLVMBasicBlockRef to = LLVMGetSuccessor(inst, taken);
    if (c.term != NONE) {
        term holds = taken == 0 ? c.term : term_not(x->pool, c.term);
        enum ir_why why = failing_block(x, LLVMGetSuccessor(inst, 1 - taken));
        if (why != IR_NO_REASON)
            add_check(x, why, inst, term_not(x->pool, holds));
        add_guard(x, IR_BRANCH, inst, holds);
    }
    enter_block(x, to);
    return true;
}

static bool exec_switch(struct exec *x, LLVMValueRef inst)
{
    struct val v = value_of(x, LLVMGetOperand(inst, 0));
    unsigned count = (unsigned)LLVMGetNumOperands(inst);
    LLVMBasicBlockRef to = LLVMGetSwitchDefaultDest(inst);
    term holds = NONE;
    if (!v.is_known)
        return stop(x, "the value of a switch is not known");
    for (unsigned i = 2; i + 1 < count; i += 2) {
        struct val one = value_of(x, LLVMGetOperand(inst, i));
        term same = v.term == NONE ? NONE : term_eq(x->pool, v.term, val_term(x, &one));
        if (one.bits == v.bits) {
            to = LLVMValueAsBasicBlock(LLVMGetOperand(inst, i + 1));
            holds = same;
            break;
        }
        if (same != NONE)
            holds = holds == NONE ? term_not(x->pool, same)
                                  : term_and(x->pool, holds, term_not(x->pool, same));
    }
    if (holds != NONE)
        add_guard(x, IR_BRANCH, inst, holds);
    enter_block(x, to);
    return true;
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static const struct {
    LLVMOpcode op;
    enum term_op term;
} binary_ops[] = {
    {LLVMAdd, TERM_ADD},   {LLVMSub, TERM_SUB},   {LLVMMul, TERM_MUL},   {LLVMUDiv, TERM_UDIV},
    {LLVMSDiv, TERM_SDIV}, {LLVMURem, TERM_UREM}, {LLVMSRem, TERM_SREM}, {LLVMShl, TERM_SHL},
    {LLVMLShr, TERM_LSHR}, {LLVMAShr, TERM_ASHR}, {LLVMAnd, TERM_AND},   {LLVMOr, TERM_OR},
    {LLVMXor, TERM_XOR},
};

static bool is_division(LLVMOpcode op)
{
    return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

/* The processor traps: by zero, and where the quotient is too large. */
static void check_divisor(struct exec *x, LLVMValueRef inst, const struct val *a,
                          const struct val *b)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (!a->is_known || !b->is_known || !a->width || (a->term == NONE && b->term == NONE) ||
        b->bits == 0)
        return;
    term divisor = val_term(x, b);
    term fails = term_eq(x->pool, divisor, term_const(x->pool, b->width, 0));
    if (op == LLVMSDiv || op == LLVMSRem) {
        term least = term_const(x->pool, a->width, (term_bits)1 << (a->width - 1));
        term minus = term_const(x->pool, a->width, ~(term_bits)0);
        fails = term_or(x->pool, fails,
                        term_and(x->pool, term_eq(x->pool, val_term(x, a), least),
                                 term_eq(x->pool, divisor, minus)));
    }
    add_check(x, IR_DIVISOR, inst, fails);
    add_guard(x, IR_BRANCH, inst, term_not(x->pool, fails));
}

/* Vectors part by part. */
static struct val binary_parts(struct exec *x, enum term_op op, const struct val *a,
                               const struct val *b)
{
    if (!a->part_count || a->part_count != b->part_count)
        return val_binary(x, op, a, b);
    struct val v = {.term = NONE, .part_count = a->part_count};
    v.parts = ARENA_NEW(&x->mem, struct val, v.part_count);
    for (uint32_t i = 0; i < v.part_count; i++)
        v.parts[i] = val_binary(x, op, &a->parts[i], &b->parts[i]);
    return v;
}

static bool exec_binary(struct exec *x, LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    struct val a = value_of(x, LLVMGetOperand(inst, 0));
    struct val b = value_of(x, LLVMGetOperand(inst, 1));
    for (unsigned i = 0; i < sizeof binary_ops / sizeof binary_ops[0]; i++)
        if (binary_ops[i].op == op) {
            if (is_division(op))
                check_divisor(x, inst, &a, &b);
            set_value(x, inst, binary_parts(x, binary_ops[i].term, &a, &b));
        }
    return true;
}

static struct val compare(struct exec *x, LLVMIntPredicate predicate, struct val a,
                          struct val b)
{
    static const struct {
        LLVMIntPredicate is;
        enum term_op op;
        bool swapped;
    } rows[] = {
        {LLVMIntEQ, TERM_EQ, false},   {LLVMIntULT, TERM_ULT, false},
        {LLVMIntULE, TERM_ULE, false}, {LLVMIntSLT, TERM_SLT, false},
        {LLVMIntSLE, TERM_SLE, false}, {LLVMIntUGT, TERM_ULT, true},
        {LLVMIntUGE, TERM_ULE, true},  {LLVMIntSGT, TERM_SLT, true},
        {LLVMIntSGE, TERM_SLE, true},
    };
    if (predicate == LLVMIntNE) {
        struct val same = val_binary(x, TERM_EQ, &a, &b), one = val_number(1, 1);
        return val_binary(x, TERM_XOR, &same, &one);
    }
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].is == predicate)
            return rows[i].swapped ? val_binary(x, rows[i].op, &b, &a)
                                   : val_binary(x, rows[i].op, &a, &b);
    return (struct val){.width = 1, .term = NONE};
}

/* An object whose place is not known yet differs from everything but itself. */
static bool exec_compare(struct exec *x, LLVMValueRef inst)
{
    struct val a = value_of(x, LLVMGetOperand(inst, 0));
    struct val b = value_of(x, LLVMGetOperand(inst, 1));
    if (a.part_count || b.part_count) {
        fix_value(x, IR_FLOAT, inst, &a);
        fix_value(x, IR_FLOAT, inst, &b);
        set_value(x, inst, val_unknown(x, LLVMTypeOf(inst)));
        return true;
    }
    set_value(x, inst, compare(x, LLVMGetICmpPredicate(inst), a, b));
    return true;
}

static bool exec_cast(struct exec *x, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    struct val v = value_of(x, LLVMGetOperand(inst, 0));
    unsigned width = type_width(x, type);
    if (v.width && width) {
        set_value(x, inst, val_cast(x, LLVMGetInstructionOpcode(inst), &v, width));
        return true;
    }
    struct val to = val_unknown(x, type);
    if (v.part_count && v.part_count == to.part_count) {
        unsigned each = type_width(x, type_part(type, 0));
        for (uint32_t i = 0; i < to.part_count; i++)
            to.parts[i] = val_cast(x, LLVMGetInstructionOpcode(inst), &v.parts[i], each);
    } else {
        fix_value(x, IR_FLOAT, inst, &v);
    }
    set_value(x, inst, to);
    return true;
}

static bool exec_select(struct exec *x, LLVMValueRef inst)
{
    struct val c = value_of(x, LLVMGetOperand(inst, 0));
    struct val a = value_of(x, LLVMGetOperand(inst, 1));
    struct val b = value_of(x, LLVMGetOperand(inst, 2));
    if (!c.is_known || c.part_count) {
        set_value(x, inst, val_unknown(x, LLVMTypeOf(inst)));
        return true;
    }
    bool is_data = !a.part_count && a.is_known && b.is_known;
    if (!is_data)
        fix_value(x, IR_BRANCH, inst, &c);
    set_value(x, inst, val_select(x, &c, &a, &b));
    return true;
}

/* ---- parts ------------------------------------------------------------------------------- */

static struct val copy_parts(struct exec *x, struct val v)
{
    struct val *parts = ARENA_NEW(&x->mem, struct val, v.part_count + 1);
    for (uint32_t i = 0; i < v.part_count; i++)
        parts[i] = v.parts[i];
    v.parts = parts;
    return v;
}

static bool exec_extract(struct exec *x, LLVMValueRef inst)
{
    struct val v = value_of(x, LLVMGetOperand(inst, 0));
    const unsigned *at = LLVMGetIndices(inst);
    unsigned count = LLVMGetNumIndices(inst);
    for (unsigned i = 0; i < count; i++) {
        if (at[i] >= v.part_count)
            return stop(x, "a part that is not there");
        v = v.parts[at[i]];
    }
    set_value(x, inst, v);
    return true;
}

static bool exec_insert(struct exec *x, LLVMValueRef inst)
{
    struct val whole = copy_parts(x, value_of(x, LLVMGetOperand(inst, 0)));
    struct val *v = &whole;
    const unsigned *at = LLVMGetIndices(inst);
    unsigned count = LLVMGetNumIndices(inst);
    for (unsigned i = 0; i < count; i++) {
        if (at[i] >= v->part_count)
            return stop(x, "a part that is not there");
        v = &v->parts[at[i]];
        if (i + 1 < count)
            *v = copy_parts(x, *v);
    }
    *v = value_of(x, LLVMGetOperand(inst, 1));
    set_value(x, inst, whole);
    return true;
}

static bool exec_element(struct exec *x, LLVMValueRef inst, bool is_insert)
{
    struct val v = value_of(x, LLVMGetOperand(inst, 0));
    struct val at = value_of(x, LLVMGetOperand(inst, is_insert ? 2 : 1));
    fix_value(x, IR_ADDRESS, inst, &at);
    if (!at.is_known || at.bits >= v.part_count)
        return stop(x, "an element that is not there");
    if (!is_insert) {
        set_value(x, inst, v.parts[at.bits]);
        return true;
    }
    v = copy_parts(x, v);
    v.parts[at.bits] = value_of(x, LLVMGetOperand(inst, 1));
    set_value(x, inst, v);
    return true;
}

/* ---- floating point ---------------------------------------------------------------------- */

static bool as_double(const struct val *v, double *out)
{
    uint64_t bits = (uint64_t)v->bits;
    uint32_t low = (uint32_t)bits;
    float f;
    if (!v->is_known || (v->width != 32 && v->width != 64))
        return false;
    memcpy(&f, &low, sizeof f);
    if (v->width == 64)
        memcpy(out, &bits, sizeof *out);
    else
        *out = f;
    return true;
}

static struct val from_double(double d, unsigned width)
{
    float f = (float)d;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &d, sizeof bits);
    return val_number(width, width == 32 ? low : bits);
}

/* Sums and products of floats come out right by way of doubles; remainders too. */
static bool float_result(LLVMOpcode op, double a, double b, double *out)
{
    switch (op) {
    case LLVMFAdd:
        *out = a + b;
        return true;
    case LLVMFSub:
        *out = a - b;
        return true;
    case LLVMFMul:
        *out = a * b;
        return true;
    case LLVMFDiv:
        *out = a / b;
        return true;
    case LLVMFRem:
        *out = fmod(a, b);
        return true;
    default:
        return false;
    }
}

static bool float_compare(LLVMRealPredicate p, double a, double b)
{
    bool unordered = isnan(a) || isnan(b);
    switch (p) {
    case LLVMRealOEQ:
    case LLVMRealUEQ:
        return unordered ? p == LLVMRealUEQ : a == b;
    case LLVMRealONE:
    case LLVMRealUNE:
        return unordered ? p == LLVMRealUNE : a != b;
    case LLVMRealOGT:
    case LLVMRealUGT:
        return unordered ? p == LLVMRealUGT : a > b;
    case LLVMRealOGE:
    case LLVMRealUGE:
        return unordered ? p == LLVMRealUGE : a >= b;
    case LLVMRealOLT:
    case LLVMRealULT:
        return unordered ? p == LLVMRealULT : a < b;
    case LLVMRealOLE:
    case LLVMRealULE:
        return unordered ? p == LLVMRealULE : a <= b;
    case LLVMRealORD:
        return !unordered;
    case LLVMRealUNO:
        return unordered;
    default:
        return p == LLVMRealPredicateTrue;
    }
}

static struct val float_convert(struct exec *x, LLVMValueRef inst, const struct val *v)
{
    unsigned width = type_width(x, LLVMTypeOf(inst));
    struct val none = {.width = (uint16_t)width, .term = NONE};
    double d;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMSIToFP:
        return v->is_known && v->width <= 64 && (width == 64 || width == 32)
                   ? from_double(width == 32
                                     ? (double)(float)(int64_t)term_signed(v->bits, v->width)
                                     : (double)(int64_t)term_signed(v->bits, v->width),
                                 width)
                   : none;
    case LLVMUIToFP:
        return v->is_known && v->width <= 64 && (width == 64 || width == 32)
                   ? from_double(width == 32 ? (double)(float)(uint64_t)v->bits
                                             : (double)(uint64_t)v->bits,
                                 width)
                   : none;
    case LLVMFPToSI:
        return as_double(v, &d) && d > -9.2e18 && d < 9.2e18
                   ? val_number(width, (term_bits)(int64_t)d)
                   : none;
    case LLVMFPToUI:
        return as_double(v, &d) && d >= 0 && d < 9.2e18 ? val_number(width, (uint64_t)d) : none;
    default:
        return as_double(v, &d) && (width == 64 || width == 32) ? from_double(d, width) : none;
    }
}

/* Numbers only: what depends on shared reads is fixed first. */
static bool exec_float(struct exec *x, LLVMValueRef inst)
{
    unsigned count = (unsigned)LLVMGetNumOperands(inst),
             width = type_width(x, LLVMTypeOf(inst));
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    struct val v = val_unknown(x, LLVMTypeOf(inst)), in[2] = {{0}};
    double a, b = 0, result;
    for (unsigned i = 0; i < count && i < 2; i++) {
        in[i] = value_of(x, LLVMGetOperand(inst, i));
        fix_value(x, IR_FLOAT, inst, &in[i]);
    }
    bool known = width && as_double(&in[0], &a) && (count < 2 || as_double(&in[1], &b));
    if (op == LLVMFCmp) {
        if (known)
            v = val_number(1, float_compare(LLVMGetFCmpPredicate(inst), a, b));
    } else if (op == LLVMFNeg) {
        if (known)
            v = val_number(width, in[0].bits ^ (term_bits)1 << (width - 1));
    } else if (count == 2) {
        if (known && float_result(op, a, b, &result))
            v = from_double(result, width);
    } else if (width) {
        v = float_convert(x, inst, &in[0]);
    }
    set_value(x, inst, v);
    return true;
}

/* ---- one instruction --------------------------------------------------------------------- */

static bool exec_alloca(struct exec *x, LLVMValueRef inst)
{
    struct val count = value_of(x, LLVMGetOperand(inst, 0));
    fix_value(x, IR_ADDRESS, inst, &count);
    uint64_t each = LLVMABISizeOfType(x->ir->units.at[0].layout, LLVMGetAllocatedType(inst));
    if (!count.is_known || count.bits > UINT32_MAX)
        return stop(x, "a local of unknown size");
    set_value(x, inst, val_number(64, object_make(x, each * (uint64_t)count.bits, NULL)));
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
        return stop(x, "a fence was expected");
    add_step(x, (struct ir_step){
                    .kind = IR_SYNC, .site = it->site, .term = NONE, .event = it->number});
    take_item(x);
    return true;
}

static bool exec_instruction(struct exec *x, LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    switch (op) {
    case LLVMBr:
        return exec_branch(x, inst);
    case LLVMSwitch:
        return exec_switch(x, inst);
    case LLVMRet:
        return exec_return(x, inst);
    case LLVMCall:
    case LLVMInvoke:
        return exec_call(x, inst);
    case LLVMLoad:
        return exec_load(x, inst);
    case LLVMStore:
        return exec_store(x, inst);
    case LLVMAtomicRMW:
        return exec_rmw(x, inst);
    case LLVMAtomicCmpXchg:
        return exec_cas(x, inst);
    case LLVMFence:
        return exec_fence(x, inst);
    case LLVMAlloca:
        return exec_alloca(x, inst);
    case LLVMGetElementPtr:
        set_value(x, inst, element_address(x, inst));
        return true;
    case LLVMICmp:
        return exec_compare(x, inst);
    case LLVMSelect:
        return exec_select(x, inst);
    case LLVMExtractValue:
        return exec_extract(x, inst);
    case LLVMInsertValue:
        return exec_insert(x, inst);
    case LLVMExtractElement:
    case LLVMInsertElement:
        return exec_element(x, inst, op == LLVMInsertElement);
    case LLVMFreeze:
        return exec_freeze(x, inst);
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        return exec_cast(x, inst);
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFNeg:
    case LLVMFCmp:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
        return exec_float(x, inst);
    case LLVMUnreachable:
        return stop(x, "the program's end");
    case LLVMIndirectBr:
    case LLVMCallBr:
    case LLVMVAArg:
    case LLVMShuffleVector:
    case LLVMLandingPad:
    case LLVMResume:
        return stop(x, "an instruction that is not modelled");
    default:
        return exec_binary(x, inst);
    }
}

bool exec_step(struct exec *x)
{
    struct frame *f = top(x);
    LLVMValueRef inst = f->inst;
    if (!inst)
        return stop(x, "a block without end");
    f->inst = LLVMGetNextInstruction(inst);
    x->path->instructions++;
    x->inst = inst;
    return exec_instruction(x, inst);
}
