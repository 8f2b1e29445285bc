/* SPDX-License-Identifier: Apache-2.0
 *
 * arithmetic: integers, comparisons, casts, choices, and parts of structs and vectors. */
#include "ir/exec.h"

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

bool exec_binary(struct exec *x, LLVMValueRef inst)
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
bool exec_compare(struct exec *x, LLVMValueRef inst)
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

bool exec_cast(struct exec *x, LLVMValueRef inst)
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

bool exec_select(struct exec *x, LLVMValueRef inst)
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

bool exec_extract(struct exec *x, LLVMValueRef inst)
{
    struct val v = value_of(x, LLVMGetOperand(inst, 0));
    const unsigned *at = LLVMGetIndices(inst);
    unsigned count = LLVMGetNumIndices(inst);
    for (unsigned i = 0; i < count; i++) {
        if (at[i] >= v.part_count)
            return exec_stop(x, "a part that is not there");
        v = v.parts[at[i]];
    }
    set_value(x, inst, v);
    return true;
}

bool exec_insert(struct exec *x, LLVMValueRef inst)
{
    struct val whole = copy_parts(x, value_of(x, LLVMGetOperand(inst, 0)));
    struct val *v = &whole;
    const unsigned *at = LLVMGetIndices(inst);
    unsigned count = LLVMGetNumIndices(inst);
    for (unsigned i = 0; i < count; i++) {
        if (at[i] >= v->part_count)
            return exec_stop(x, "a part that is not there");
        v = &v->parts[at[i]];
        if (i + 1 < count)
            *v = copy_parts(x, *v);
    }
    *v = value_of(x, LLVMGetOperand(inst, 1));
    set_value(x, inst, whole);
    return true;
}

bool exec_element(struct exec *x, LLVMValueRef inst)
{
    bool is_insert = LLVMGetInstructionOpcode(inst) == LLVMInsertElement;
    struct val v = value_of(x, LLVMGetOperand(inst, 0));
    struct val at = value_of(x, LLVMGetOperand(inst, is_insert ? 2 : 1));
    fix_value(x, IR_ADDRESS, inst, &at);
    if (!at.is_known || at.bits >= v.part_count)
        return exec_stop(x, "an element that is not there");
    if (!is_insert) {
        set_value(x, inst, v.parts[at.bits]);
        return true;
    }
    v = copy_parts(x, v);
    v.parts[at.bits] = value_of(x, LLVMGetOperand(inst, 1));
    set_value(x, inst, v);
    return true;
}
