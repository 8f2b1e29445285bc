/* SPDX-License-Identifier: Apache-2.0
 *
 * intrinsic: what LLVM calls by name and every back end knows. What is rare is computed with
 * numbers only, after fixing what depends on shared reads. */
#include "ir/exec.h"

#include <string.h>

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static struct val arg(struct exec *x, LLVMValueRef call, unsigned i)
{
    return value_of(x, LLVMGetOperand(call, i));
}

static struct val pick(struct exec *x, LLVMValueRef call, enum term_op less, bool most)
{
    struct val a = arg(x, call, 0), b = arg(x, call, 1);
    struct val c = val_binary(x, less, &a, &b);
    if (!c.is_known)
        return val_unknown(x, LLVMTypeOf(call));
    return most ? val_select(x, &c, &b, &a) : val_select(x, &c, &a, &b);
}

static struct val absolute(struct exec *x, LLVMValueRef call)
{
    struct val a = arg(x, call, 0), zero = val_number(a.width, 0);
    struct val negative = val_binary(x, TERM_SLT, &a, &zero);
    struct val minus = val_binary(x, TERM_SUB, &zero, &a);
    return a.is_known ? val_select(x, &negative, &minus, &a) : a;
}

/* Computed with twice the width, and compared with what fits. */
static struct val with_overflow(struct exec *x, LLVMValueRef call, enum term_op op,
                                bool is_signed)
{
    struct val a = arg(x, call, 0), b = arg(x, call, 1);
    struct val pair = val_unknown(x, LLVMTypeOf(call));
    unsigned width = a.width;
    if (!a.is_known || !b.is_known || !width || 2 * width > TERM_WIDTH_MAX)
        return pair;
    LLVMOpcode widen = is_signed ? LLVMSExt : LLVMZExt;
    struct val wide_a = val_cast(x, widen, &a, 2 * width);
    struct val wide_b = val_cast(x, widen, &b, 2 * width);
    struct val wide = val_binary(x, op, &wide_a, &wide_b), one = val_number(1, 1);
    pair.parts[0] = val_binary(x, op, &a, &b);
    struct val back = val_cast(x, widen, &pair.parts[0], 2 * width);
    struct val fits = val_binary(x, TERM_EQ, &wide, &back);
    pair.parts[1] = val_binary(x, TERM_XOR, &fits, &one);
    return pair;
}

static term_bits count_bits(const char *name, term_bits v, unsigned width)
{
    unsigned ones = 0, leading = 0, trailing = 0;
    for (unsigned i = 0; i < width; i++)
        ones += (unsigned)(v >> i & 1);
    while (leading < width && !(v >> (width - 1 - leading) & 1))
        leading++;
    while (trailing < width && !(v >> trailing & 1))
        trailing++;
    return starts(name, "llvm.ctpop") ? ones : starts(name, "llvm.ctlz") ? leading : trailing;
}

static term_bits swap_bytes(term_bits v, unsigned width)
{
    term_bits out = 0;
    for (unsigned i = 0; i < width; i += 8)
        out = out << 8 | (v >> i & 0xff);
    return out;
}

static struct val funnel(const char *name, const struct val *a, const struct val *b,
                         const struct val *c)
{
    unsigned width = a->width, by = (unsigned)(c->bits % width);
    if (starts(name, "llvm.fshl"))
        return val_number(width, by ? a->bits << by | b->bits >> (width - by) : a->bits);
    return val_number(width, by ? a->bits << (width - by) | b->bits >> by : b->bits);
}

/* With numbers alone. */
static struct val number_only(struct exec *x, LLVMValueRef call, const char *name)
{
    struct val v[3] = {{0}}, none = val_unknown(x, LLVMTypeOf(call));
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count && i < 3; i++) {
        v[i] = arg(x, call, i);
        fix_value(x, IR_FLOAT, call, &v[i]);
        if (!v[i].is_known || !v[i].width)
            return none;
    }
    if (starts(name, "llvm.ctpop") || starts(name, "llvm.ctlz") || starts(name, "llvm.cttz"))
        return val_number(v[0].width, count_bits(name, v[0].bits, v[0].width));
    if (starts(name, "llvm.bswap"))
        return val_number(v[0].width, swap_bytes(v[0].bits, v[0].width));
    if (starts(name, "llvm.fshl") || starts(name, "llvm.fshr"))
        return funnel(name, &v[0], &v[1], &v[2]);
    return none;
}

static const struct {
    const char *name;
    enum term_op op;
    bool flag;
} picks[] = {{"llvm.smax.", TERM_SLT, true},
             {"llvm.smin.", TERM_SLT, false},
             {"llvm.umax.", TERM_ULT, true},
             {"llvm.umin.", TERM_ULT, false}},
  overflows[] = {{"llvm.sadd.with", TERM_ADD, true}, {"llvm.uadd.with", TERM_ADD, false},
                 {"llvm.ssub.with", TERM_SUB, true}, {"llvm.usub.with", TERM_SUB, false},
                 {"llvm.smul.with", TERM_MUL, true}, {"llvm.umul.with", TERM_MUL, false}};

static struct val value(struct exec *x, LLVMValueRef call, const char *name)
{
    for (unsigned i = 0; i < sizeof picks / sizeof picks[0]; i++)
        if (starts(name, picks[i].name))
            return pick(x, call, picks[i].op, picks[i].flag);
    for (unsigned i = 0; i < sizeof overflows / sizeof overflows[0]; i++)
        if (starts(name, overflows[i].name))
            return with_overflow(x, call, overflows[i].op, overflows[i].flag);
    if (starts(name, "llvm.abs."))
        return absolute(x, call);
    if (starts(name, "llvm.expect") || starts(name, "llvm.threadlocal.address") ||
        starts(name, "llvm.launder") || starts(name, "llvm.strip.invariant") ||
        starts(name, "llvm.ptr.annotation") || starts(name, "llvm.annotation"))
        return arg(x, call, 0);
    if (starts(name, "llvm.eh.typeid.for"))
        return type_number(LLVMGetOperand(call, 0));
    if (starts(name, "llvm.is.constant"))
        return val_number(1, 0);
    if (starts(name, "llvm.objectsize"))
        return val_number(type_width(x, LLVMTypeOf(call)), ~(term_bits)0);
    return number_only(x, call, name);
}

bool exec_intrinsic(struct exec *x, LLVMValueRef call, LLVMValueRef fn)
{
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);
    if (starts(name, "llvm.memcpy") || starts(name, "llvm.memmove"))
        return exec_copy(x, call, false);
    if (starts(name, "llvm.memset"))
        return exec_copy(x, call, true);
    if (starts(name, "llvm.trap") || starts(name, "llvm.ubsantrap"))
        return exec_stop(x, "the program's end");
    if (starts(name, "llvm.va_") || starts(name, "llvm.coro.") || starts(name, "llvm.masked."))
        return exec_stop(x, "%s is not modelled", name);
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        set_value(x, call, value(x, call, name));
    return true;
}
