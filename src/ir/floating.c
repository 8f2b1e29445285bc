/* SPDX-License-Identifier: Apache-2.0
 *
 * floating: floating point, with the numbers of the run only. What depends on shared reads
 * is fixed first. */
#include "ir/exec.h"

#include <math.h>
#include <string.h>

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
bool exec_float(struct exec *x, LLVMValueRef inst)
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
