/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly-meaning: inline assembly whose every instruction is known becomes what it
 * means, in LLVM's own words: lock cmpxchg an exchange, xchg and lock add atomic
 * operations, mov of memory an atomic load or store, mfence a fence. From there on it is
 * code like any other: hooks, names, dependences and the interpreter know what it does.
 * What is not known in all its parts stays as it is, and is named when it runs.
 *
 * The registers are cells of 64 bits that hold values; memory is touched as the
 * instruction does. Only x86-64. */
#include "instr/assembly.h"

#define ASK_PREFIX "__heddle_cpu_"
#define REQUEST "__heddle_request"

struct lift {
    struct pass *p;
    LLVMBuilderRef b;
    const struct assembly *a;
    LLVMValueRef cells[ASM_CELLS_MAX];     /* NULL: nobody has set it */
    LLVMValueRef addresses[ASM_CELLS_MAX]; /* the pointer that the cell still holds, or NULL */
    LLVMValueRef zero, carry, sign;        /* flags, of 1 bit; NULL: not known */
};

/* ---- registers -------------------------------------------------------------------------- */

static LLVMTypeRef int_type(const struct lift *l, unsigned bits)
{
    return LLVMIntTypeInContext(l->p->ctx, bits);
}

static LLVMValueRef number(const struct lift *l, unsigned bits, uint64_t value)
{
    return LLVMConstInt(int_type(l, bits), value, false);
}

static LLVMValueRef resize(struct lift *l, LLVMValueRef value, unsigned bits)
{
    return LLVMBuildIntCast2(l->b, value, int_type(l, bits), false, "");
}

static LLVMValueRef cell_get(struct lift *l, int cell, unsigned bits)
{
    LLVMValueRef whole = l->cells[cell];
    return resize(l, whole ? whole : number(l, 64, 0), bits);
}

/* As the processor does: 32 bits clear what is above them, fewer leave it. */
static void cell_set(struct lift *l, int cell, unsigned bits, LLVMValueRef value)
{
    LLVMValueRef wide = resize(l, value, 64);
    l->addresses[cell] = NULL;
    if (bits < 32) {
        uint64_t mask = (UINT64_C(1) << bits) - 1;
        LLVMValueRef rest = LLVMBuildAnd(l->b, cell_get(l, cell, 64), number(l, 64, ~mask), "");
        wide = LLVMBuildOr(l->b, rest, wide, "");
    }
    l->cells[cell] = wide;
}

/* ---- arguments -------------------------------------------------------------------------- */

/* Of the stack nobody knows what is there; -1 as a cell: an operand's address. */
static bool is_stack(const struct asm_arg *arg)
{
    return arg->where == AT_MEMORY && arg->cell == REG_SP;
}

static LLVMValueRef address_of(struct lift *l, const struct asm_arg *arg)
{
    LLVMValueRef base = arg->base;
    if (!base)
        base = l->addresses[arg->cell]
                   ? l->addresses[arg->cell]
                   : LLVMBuildIntToPtr(l->b, cell_get(l, arg->cell, 64), l->p->t_ptr, "");
    LLVMValueRef offset = number(l, 64, (uint64_t)arg->number);
    return arg->number ? LLVMBuildGEP2(l->b, l->p->t_i8, base, &offset, 1, "") : base;
}

static LLVMValueRef memory_get(struct lift *l, const struct asm_arg *arg, unsigned bits,
                               LLVMAtomicOrdering order)
{
    LLVMValueRef load = LLVMBuildLoad2(l->b, int_type(l, bits), address_of(l, arg), "");
    LLVMSetOrdering(load, order);
    LLVMSetAlignment(load, bits / 8);
    return load;
}

static void memory_set(struct lift *l, const struct asm_arg *arg, unsigned bits,
                       LLVMValueRef value, LLVMAtomicOrdering order)
{
    LLVMValueRef store = LLVMBuildStore(l->b, resize(l, value, bits), address_of(l, arg));
    LLVMSetOrdering(store, order);
    LLVMSetAlignment(store, bits / 8);
}

/* The value of an argument; memory is read plainly. */
static LLVMValueRef arg_get(struct lift *l, const struct asm_arg *arg, unsigned bits)
{
    switch (arg->where) {
    case AT_NUMBER:
        return number(l, bits, (uint64_t)arg->number);
    case AT_REGISTER:
        return cell_get(l, arg->cell, bits);
    default:
        return memory_get(l, arg, bits, LLVMAtomicOrderingNotAtomic);
    }
}

static void arg_set(struct lift *l, const struct asm_arg *arg, unsigned bits,
                    LLVMValueRef value)
{
    if (arg->where == AT_REGISTER)
        cell_set(l, arg->cell, bits, value);
    else
        memory_set(l, arg, bits, value, LLVMAtomicOrderingNotAtomic);
}

/* ---- instructions ----------------------------------------------------------------------- */

static void set_flags(struct lift *l, LLVMValueRef result)
{
    LLVMValueRef nothing = LLVMConstNull(LLVMTypeOf(result));
    l->zero = LLVMBuildICmp(l->b, LLVMIntEQ, result, nothing, "");
    l->sign = LLVMBuildICmp(l->b, LLVMIntSLT, result, nothing, "");
}

/* What a store or load by mov means: the order of the processor, as far as the compiler was
 * told to keep it. */
static LLVMAtomicOrdering order_of_mov(const struct lift *l, bool is_store)
{
    if (!l->a->clobbers_memory)
        return LLVMAtomicOrderingMonotonic;
    return is_store ? LLVMAtomicOrderingRelease : LLVMAtomicOrderingAcquire;
}

static bool lift_mov(struct lift *l, const struct asm_line *i, unsigned bits)
{
    const struct asm_arg *from = &i->args[0], *to = &i->args[1];
    if (i->count != 2 || i->is_locked || is_stack(from) || is_stack(to) || bits > 64)
        return false;
    if (to->where == AT_MEMORY)
        memory_set(l, to, bits, arg_get(l, from, bits), order_of_mov(l, true));
    else if (from->where == AT_MEMORY)
        cell_set(l, to->cell, bits, memory_get(l, from, bits, order_of_mov(l, false)));
    else
        cell_set(l, to->cell, bits, arg_get(l, from, bits));
    if (from->where == AT_REGISTER && to->where == AT_REGISTER && bits == 64)
        l->addresses[to->cell] = l->addresses[from->cell];
    return true;
}

/* With memory it is atomic, with the prefix or without. */
static bool lift_xchg(struct lift *l, const struct asm_line *i, unsigned bits)
{
    if (i->count != 2)
        return false;
    bool swap = i->args[0].where == AT_MEMORY;
    const struct asm_arg *one = &i->args[swap], *two = &i->args[!swap];
    if (one->where != AT_REGISTER || is_stack(two))
        return false;
    LLVMValueRef old, value = cell_get(l, one->cell, bits);
    if (two->where == AT_MEMORY) {
        old = LLVMBuildAtomicRMW(l->b, LLVMAtomicRMWBinOpXchg, address_of(l, two), value,
                                 LLVMAtomicOrderingSequentiallyConsistent, false);
    } else {
        old = cell_get(l, two->cell, bits);
        cell_set(l, two->cell, bits, value);
    }
    cell_set(l, one->cell, bits, old);
    return true;
}

static LLVMValueRef binary(struct lift *l, LLVMAtomicRMWBinOp op, LLVMValueRef x,
                           LLVMValueRef y)
{
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
        return LLVMBuildAdd(l->b, x, y, "");
    case LLVMAtomicRMWBinOpSub:
        return LLVMBuildSub(l->b, x, y, "");
    case LLVMAtomicRMWBinOpAnd:
        return LLVMBuildAnd(l->b, x, y, "");
    case LLVMAtomicRMWBinOpOr:
        return LLVMBuildOr(l->b, x, y, "");
    default:
        return LLVMBuildXor(l->b, x, y, "");
    }
}

/* Reads, computes and writes what is at `to`; gives what was there. */
static LLVMValueRef change(struct lift *l, const struct asm_line *i, const struct asm_arg *to,
                           LLVMAtomicRMWBinOp op, LLVMValueRef by, unsigned bits)
{
    if (i->is_locked)
        return LLVMBuildAtomicRMW(l->b, op, address_of(l, to), by,
                                  LLVMAtomicOrderingSequentiallyConsistent, false);
    LLVMValueRef old = arg_get(l, to, bits);
    arg_set(l, to, bits, binary(l, op, old, by));
    return old;
}

static void build_fence(struct lift *l, LLVMAtomicOrdering order)
{
    LLVMBuildFence(l->b, order, false, "");
}

/* add sub and or xor; inc dec not come with the number they stand for. */
static bool lift_change(struct lift *l, const struct asm_line *i, LLVMAtomicRMWBinOp op,
                        const struct asm_arg *from, const struct asm_arg *to, unsigned bits)
{
    if (is_stack(to) && i->is_locked && from->where == AT_NUMBER && from->number == 0 &&
        (op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpOr)) {
        build_fence(l, LLVMAtomicOrderingSequentiallyConsistent);
        return true;
    }
    if (is_stack(to) || is_stack(from) || to->where == AT_NUMBER ||
        (i->is_locked && to->where != AT_MEMORY) || bits > 64)
        return false;
    LLVMValueRef by = arg_get(l, from, bits);
    LLVMValueRef old = change(l, i, to, op, by, bits);
    LLVMValueRef new = binary(l, op, old, by);
    set_flags(l, new);
    l->carry = op == LLVMAtomicRMWBinOpAdd   ? LLVMBuildICmp(l->b, LLVMIntULT, new, old, "")
               : op == LLVMAtomicRMWBinOpSub ? LLVMBuildICmp(l->b, LLVMIntULT, old, by, "")
                                             : number(l, 1, 0);
    return true;
}

static bool lift_binary(struct lift *l, const struct asm_line *i, LLVMAtomicRMWBinOp op,
                        unsigned bits)
{
    return i->count == 2 && lift_change(l, i, op, &i->args[0], &i->args[1], bits);
}

static bool lift_unary(struct lift *l, const struct asm_line *i, LLVMAtomicRMWBinOp op,
                       int64_t by, unsigned bits)
{
    struct asm_arg from = {.where = AT_NUMBER, .cell = -1, .number = by};
    LLVMValueRef carry = l->carry, zero = l->zero, sign = l->sign;
    if (i->count != 1 || !lift_change(l, i, op, &from, &i->args[0], bits))
        return false;
    l->carry = carry; /* neither inc, dec nor not changes it */
    if (op == LLVMAtomicRMWBinOpXor) {
        l->zero = zero;
        l->sign = sign;
    }
    return true;
}

static bool lift_xadd(struct lift *l, const struct asm_line *i, unsigned bits)
{
    const struct asm_arg *from = &i->args[0], *to = &i->args[1];
    if (i->count != 2 || from->where != AT_REGISTER || is_stack(to) || bits > 64)
        return false;
    LLVMValueRef by = cell_get(l, from->cell, bits);
    LLVMValueRef old = change(l, i, to, LLVMAtomicRMWBinOpAdd, by, bits);
    LLVMValueRef new = LLVMBuildAdd(l->b, old, by, "");
    cell_set(l, from->cell, bits, old);
    set_flags(l, new);
    l->carry = LLVMBuildICmp(l->b, LLVMIntULT, new, old, "");
    return true;
}

/* Gives what was seen; whether it was what was expected is the flag. */
static LLVMValueRef exchange(struct lift *l, const struct asm_line *i, const struct asm_arg *to,
                             LLVMValueRef expected, LLVMValueRef new, unsigned bits)
{
    if (i->is_locked) {
        LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
        LLVMValueRef both =
            LLVMBuildAtomicCmpXchg(l->b, address_of(l, to), expected, new, order, order, false);
        l->zero = LLVMBuildExtractValue(l->b, both, 1, "");
        return LLVMBuildExtractValue(l->b, both, 0, "");
    }
    LLVMValueRef old = arg_get(l, to, bits);
    l->zero = LLVMBuildICmp(l->b, LLVMIntEQ, old, expected, "");
    arg_set(l, to, bits, LLVMBuildSelect(l->b, l->zero, new, old, ""));
    return old;
}

static bool lift_cmpxchg(struct lift *l, const struct asm_line *i, unsigned bits)
{
    const struct asm_arg *from = &i->args[0], *to = &i->args[1];
    if (i->count != 2 || from->where != AT_REGISTER || is_stack(to) || bits > 64 ||
        (i->is_locked && to->where != AT_MEMORY))
        return false;
    LLVMValueRef old =
        exchange(l, i, to, cell_get(l, REG_AX, bits), cell_get(l, from->cell, bits), bits);
    cell_set(l, REG_AX, bits, old);
    l->carry = l->sign = NULL;
    return true;
}

static LLVMValueRef pair(struct lift *l, int low, int high, unsigned half)
{
    LLVMValueRef above = resize(l, cell_get(l, high, half), 2 * half);
    above = LLVMBuildShl(l->b, above, number(l, 2 * half, half), "");
    return LLVMBuildOr(l->b, above, resize(l, cell_get(l, low, half), 2 * half), "");
}

static void allow_wide(struct lift *l, LLVMValueRef fn)
{
    static const char name[] = "target-features", more[] = "+cx16";
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef old = LLVMGetStringAttributeAtIndex(fn, at, name, sizeof name - 1);
    unsigned len = 0;
    const char *text = old ? LLVMGetStringAttributeValue(old, &len) : "";
    AUTO(str) struct str all = {0};
    if (memmem(text, len, more, sizeof more - 1))
        return;
    str_add(&all, "%.*s%s%s", (int)len, text, len ? "," : "", more);
    LLVMAddAttributeAtIndex(
        fn, at,
        LLVMCreateStringAttribute(l->p->ctx, name, sizeof name - 1, all.at, (unsigned)all.len));
}

/* Without this feature LLVM calls a library for 16 bytes; the assembly needed it anyway. The
 * inliner does not ask for it: all functions get it. */
static void allow_wide_everywhere(struct lift *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->p->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            allow_wide(l, f);
}

/* cmpxchg8b and cmpxchg16b: dx and ax are expected, cx and bx stored. */
static bool lift_wide(struct lift *l, const struct asm_line *i, unsigned half)
{
    const struct asm_arg *to = &i->args[0];
    if (i->count != 1 || to->where != AT_MEMORY || is_stack(to) || !i->is_locked)
        return false;
    if (half == 64)
        allow_wide_everywhere(l);
    LLVMValueRef old = exchange(l, i, to, pair(l, REG_AX, REG_DX, half),
                                pair(l, REG_BX, REG_CX, half), 2 * half);
    LLVMValueRef high = LLVMBuildLShr(l->b, old, number(l, 2 * half, half), "");
    cell_set(l, REG_AX, half, resize(l, old, half));
    cell_set(l, REG_DX, half, resize(l, high, half));
    return true;
}

/* bts btr btc: a bit, which in a register may be far beyond the operand. */
static bool lift_bit(struct lift *l, const struct asm_line *i, char what, unsigned bits)
{
    const struct asm_arg *which = &i->args[0];
    struct asm_arg to = i->args[1];
    if (i->count != 2 || which->where == AT_MEMORY || is_stack(&to) || bits < 16 || bits > 64 ||
        to.where != AT_MEMORY)
        return false;
    LLVMValueRef index = arg_get(l, which, bits);
    if (which->where == AT_REGISTER) {
        LLVMValueRef wide = LLVMBuildIntCast2(l->b, index, l->p->t_i64, true, "");
        unsigned shift = bits == 64 ? 6 : bits == 32 ? 5 : 4;
        wide = LLVMBuildAShr(l->b, wide, number(l, 64, shift), "");
        wide = LLVMBuildMul(l->b, wide, number(l, 64, bits / 8), "");
        LLVMValueRef base = address_of(l, &to);
        to.base = LLVMIsNull(wide) ? base : LLVMBuildGEP2(l->b, l->p->t_i8, base, &wide, 1, "");
        to.number = 0;
    }
    index = LLVMBuildAnd(l->b, index, number(l, bits, bits - 1), "");
    LLVMValueRef mask = LLVMBuildShl(l->b, number(l, bits, 1), index, "");
    LLVMValueRef old = what == ' '   ? arg_get(l, &to, bits)
                       : what == 's' ? change(l, i, &to, LLVMAtomicRMWBinOpOr, mask, bits)
                       : what == 'r' ? change(l, i, &to, LLVMAtomicRMWBinOpAnd,
                                              LLVMBuildNot(l->b, mask, ""), bits)
                                     : change(l, i, &to, LLVMAtomicRMWBinOpXor, mask, bits);
    l->carry = LLVMBuildIsNotNull(l->b, LLVMBuildAnd(l->b, old, mask, ""), "");
    l->zero = l->sign = NULL;
    return true;
}

/* NULL: it is not known. */
static LLVMValueRef condition(struct lift *l, const char *name)
{
    bool no = name[0] == 'n' && name[1];
    LLVMValueRef flag = NULL;
    name += no;
    if (strcmp(name, "z") == 0 || strcmp(name, "e") == 0)
        flag = l->zero;
    else if (strcmp(name, "c") == 0 || strcmp(name, "b") == 0)
        flag = l->carry;
    else if (strcmp(name, "ae") == 0 && !no)
        flag = l->carry, no = true;
    else if (strcmp(name, "s") == 0)
        flag = l->sign;
    return flag && no ? LLVMBuildNot(l->b, flag, "") : flag;
}

static bool lift_set(struct lift *l, const struct asm_line *i, const char *name)
{
    LLVMValueRef flag = condition(l, name);
    if (!flag || i->count != 1 || i->args[0].where == AT_NUMBER || is_stack(&i->args[0]))
        return false;
    arg_set(l, &i->args[0], 8, resize(l, flag, 8));
    return true;
}

/* sbb of a register and itself: all ones if there is a carry. */
static bool lift_sbb(struct lift *l, const struct asm_line *i, unsigned bits)
{
    if (i->count != 2 || i->args[0].where != AT_REGISTER || i->args[1].where != AT_REGISTER ||
        i->args[0].cell != i->args[1].cell || !l->carry)
        return false;
    cell_set(
        l, i->args[0].cell, bits,
        LLVMBuildSelect(l->b, l->carry, number(l, bits, UINT64_MAX), number(l, bits, 0), ""));
    return true;
}

static bool lift_shift(struct lift *l, const struct asm_line *i, bool left, unsigned bits)
{
    const struct asm_arg *by = &i->args[0], *to = &i->args[1];
    if (i->count != 2 || by->where != AT_NUMBER || to->where != AT_REGISTER)
        return false;
    LLVMValueRef value = cell_get(l, to->cell, bits);
    LLVMValueRef amount = number(l, bits, (uint64_t)by->number & (bits == 64 ? 63 : 31));
    cell_set(l, to->cell, bits,
             left ? LLVMBuildShl(l->b, value, amount, "")
                  : LLVMBuildLShr(l->b, value, amount, ""));
    l->zero = l->carry = l->sign = NULL;
    return true;
}

static void build_pause(struct lift *l)
{
    static const char name[] = "llvm.x86.sse2.pause";
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->p->ctx, id, NULL, 0),
                   LLVMGetIntrinsicDeclaration(l->p->mod, id, NULL, 0), NULL, 0, "");
}

/* ---- what the processor is asked -------------------------------------------------------- */

/* One of the runtime's functions: see abi.h. */
static LLVMValueRef build_ask(struct lift *l, const char *name, unsigned bits,
                              LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef params[3] = {l->p->t_i32, l->p->t_i32, l->p->t_i32};
    LLVMTypeRef type = LLVMFunctionType(int_type(l, bits), params, count, false);
    LLVMValueRef fn = LLVMGetNamedFunction(l->p->mod, name);
    if (!fn)
        fn = LLVMAddFunction(l->p->mod, name, type);
    return LLVMBuildCall2(l->b, type, fn, args, count, "");
}

static LLVMValueRef build_stamp(struct lift *l)
{
    return build_ask(l, ASK_PREFIX "stamp", 64, NULL, 0);
}

static LLVMValueRef build_number(struct lift *l)
{
    return build_ask(l, ASK_PREFIX "number", 32, NULL, 0);
}

static bool lift_stamp(struct lift *l, bool with_number)
{
    LLVMValueRef stamp = build_stamp(l);
    cell_set(l, REG_AX, 32, resize(l, stamp, 32));
    cell_set(l, REG_DX, 32, resize(l, LLVMBuildLShr(l->b, stamp, number(l, 64, 32), ""), 32));
    if (with_number)
        cell_set(l, REG_CX, 32, build_number(l));
    return true;
}

static bool lift_cpuid(struct lift *l)
{
    LLVMValueRef args[] = {cell_get(l, REG_AX, 32), cell_get(l, REG_CX, 32), number(l, 32, 0)};
    LLVMValueRef low = build_ask(l, ASK_PREFIX "id", 64, args, 3);
    args[2] = number(l, 32, 1);
    LLVMValueRef high = build_ask(l, ASK_PREFIX "id", 64, args, 3);
    cell_set(l, REG_AX, 32, resize(l, low, 32));
    cell_set(l, REG_BX, 32, resize(l, LLVMBuildLShr(l->b, low, number(l, 64, 32), ""), 32));
    cell_set(l, REG_CX, 32, resize(l, high, 32));
    cell_set(l, REG_DX, 32, resize(l, LLVMBuildLShr(l->b, high, number(l, 64, 32), ""), 32));
    return true;
}

/* rdrand, rdseed and rdpid; of the former, the flag says that there is a number. */
static bool lift_ask(struct lift *l, const struct asm_line *i, bool by_chance, unsigned bits)
{
    if (i->count != 1 || i->args[0].where != AT_REGISTER)
        return false;
    LLVMValueRef value =
        by_chance ? build_ask(l, ASK_PREFIX "random", 64, NULL, 0) : build_number(l);
    cell_set(l, i->args[0].cell, by_chance ? bits : 64,
             resize(l, value, by_chance ? bits : 64));
    l->zero = l->sign = number(l, 1, 0);
    l->carry = number(l, 1, by_chance);
    return true;
}

/* The same as intrinsics. */
static LLVMValueRef ask_instead(struct lift *l, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    if (is_intrinsic(call, "llvm.x86.rdtscp")) {
        LLVMValueRef both =
            LLVMBuildInsertValue(l->b, LLVMGetUndef(type), build_stamp(l), 0, "");
        return LLVMBuildInsertValue(l->b, both, build_number(l), 1, "");
    }
    if (is_intrinsic(call, "llvm.x86.rdtsc") || is_intrinsic(call, "llvm.readcyclecounter"))
        return build_stamp(l);
    if (is_intrinsic(call, "llvm.x86.rdpid"))
        return build_number(l);
    if (!is_intrinsic(call, "llvm.x86.rdrand.") && !is_intrinsic(call, "llvm.x86.rdseed."))
        return NULL;
    LLVMValueRef value = LLVMBuildIntCast2(l->b, build_ask(l, ASK_PREFIX "random", 64, NULL, 0),
                                           LLVMStructGetTypeAtIndex(type, 0), false, "");
    LLVMValueRef both = LLVMBuildInsertValue(l->b, LLVMGetUndef(type), value, 0, "");
    return LLVMBuildInsertValue(l->b, both, number(l, 32, 1), 1, "");
}

/* ---- which one -------------------------------------------------------------------------- */

enum what {
    DO_MOV,
    DO_XCHG,
    DO_XADD,
    DO_CMPXCHG,
    DO_WIDE,
    DO_BINARY,
    DO_UNARY,
    DO_BIT,
    DO_SBB,
    DO_SHIFT,
    DO_FENCE,
    DO_PAUSE,
    DO_STAMP,
    DO_CPUID,
    DO_ASK,
    DO_NOTHING,
};

static const struct row {
    const char *name;
    enum what what;
    int detail;
    int64_t number;
} rows[] = {
    {"mov", DO_MOV, 0, 0},
    {"movnti", DO_MOV, 0, 0},
    {"xchg", DO_XCHG, 0, 0},
    {"xadd", DO_XADD, 0, 0},
    {"cmpxchg", DO_CMPXCHG, 0, 0},
    {"cmpxchg8b", DO_WIDE, 32, 0},
    {"cmpxchg16b", DO_WIDE, 64, 0},
    {"add", DO_BINARY, LLVMAtomicRMWBinOpAdd, 0},
    {"sub", DO_BINARY, LLVMAtomicRMWBinOpSub, 0},
    {"and", DO_BINARY, LLVMAtomicRMWBinOpAnd, 0},
    {"or", DO_BINARY, LLVMAtomicRMWBinOpOr, 0},
    {"xor", DO_BINARY, LLVMAtomicRMWBinOpXor, 0},
    {"inc", DO_UNARY, LLVMAtomicRMWBinOpAdd, 1},
    {"dec", DO_UNARY, LLVMAtomicRMWBinOpSub, 1},
    {"not", DO_UNARY, LLVMAtomicRMWBinOpXor, -1},
    {"bt", DO_BIT, ' ', 0},
    {"bts", DO_BIT, 's', 0},
    {"btr", DO_BIT, 'r', 0},
    {"btc", DO_BIT, 'c', 0},
    {"sbb", DO_SBB, 0, 0},
    {"shl", DO_SHIFT, 1, 0},
    {"sal", DO_SHIFT, 1, 0},
    {"shr", DO_SHIFT, 0, 0},
    {"mfence", DO_FENCE, LLVMAtomicOrderingSequentiallyConsistent, 0},
    {"lfence", DO_FENCE, LLVMAtomicOrderingAcquire, 0},
    {"sfence", DO_FENCE, LLVMAtomicOrderingRelease, 0},
    {"pause", DO_PAUSE, 0, 0},
    {"rdtsc", DO_STAMP, 0, 0},
    {"rdtscp", DO_STAMP, 1, 0},
    {"cpuid", DO_CPUID, 0, 0},
    {"rdrand", DO_ASK, 1, 0},
    {"rdseed", DO_ASK, 1, 0},
    {"rdpid", DO_ASK, 0, 0},
    {"nop", DO_NOTHING, 0, 0},
};

/* The name alone, or with the letter of a size. */
static const struct row *find_row(const char *name, unsigned *bits)
{
    size_t len = strlen(name);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    const char *letter = len > 1 ? strchr("bwlq", name[len - 1]) : NULL;
    for (unsigned i = 0; letter && i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == len - 1 && memcmp(rows[i].name, name, len - 1) == 0) {
            *bits = *letter == 'b' ? 8 : *letter == 'w' ? 16 : *letter == 'l' ? 32 : 64;
            return &rows[i];
        }
    return NULL;
}

/* A register says how wide it is; what is in memory is asked last. */
static unsigned width(const struct asm_line *i, bool last_first)
{
    for (unsigned k = 0; k < i->count; k++) {
        const struct asm_arg *arg = &i->args[last_first ? i->count - 1u - k : k];
        if (arg->where == AT_REGISTER)
            return arg->bits;
    }
    for (unsigned k = 0; k < i->count; k++)
        if (i->args[k].where == AT_MEMORY)
            return i->args[k].bits;
    return 0;
}

static bool is_width(unsigned bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static bool lift_row(struct lift *l, const struct asm_line *i, const struct row *row,
                     unsigned bits)
{
    switch (row->what) {
    case DO_MOV:
        return lift_mov(l, i, bits);
    case DO_XCHG:
        return lift_xchg(l, i, bits);
    case DO_XADD:
        return lift_xadd(l, i, bits);
    case DO_CMPXCHG:
        return lift_cmpxchg(l, i, bits);
    case DO_BINARY:
        return lift_binary(l, i, (LLVMAtomicRMWBinOp)row->detail, bits);
    case DO_UNARY:
        return lift_unary(l, i, (LLVMAtomicRMWBinOp)row->detail, row->number, bits);
    case DO_BIT:
        return lift_bit(l, i, (char)row->detail, bits);
    case DO_SBB:
        return lift_sbb(l, i, bits);
    case DO_ASK:
        return lift_ask(l, i, row->detail, bits);
    default:
        return lift_shift(l, i, row->detail, bits);
    }
}

static bool has_segment(const struct asm_line *i)
{
    for (unsigned k = 0; k < i->count; k++)
        if (i->args[k].in_segment)
            return true;
    return false;
}

static bool lift_line(struct lift *l, const struct asm_line *i)
{
    unsigned bits = 0;
    if (has_segment(i))
        return false;
    if (strncmp(i->name, "set", 3) == 0)
        return lift_set(l, i, i->name + 3);
    const struct row *row = find_row(i->name, &bits);
    if (!row)
        return false;
    switch (row->what) {
    case DO_WIDE:
        return lift_wide(l, i, (unsigned)row->detail);
    case DO_FENCE:
        build_fence(l, (LLVMAtomicOrdering)row->detail);
        return true;
    case DO_PAUSE:
        build_pause(l);
        return true;
    case DO_STAMP:
        return lift_stamp(l, row->detail);
    case DO_CPUID:
        return lift_cpuid(l);
    case DO_NOTHING:
        return true;
    default:
        bits = bits ? bits : width(i, row->what == DO_MOV || row->what == DO_SHIFT);
        return is_width(bits) && lift_row(l, i, row, bits);
    }
}

/* ---- all of it -------------------------------------------------------------------------- */

static void begin(struct lift *l)
{
    for (uint32_t k = 0; k < l->a->operand_count; k++) {
        const struct asm_operand *o = &l->a->operands[k];
        if (o->is_memory || !o->value)
            continue;
        bool is_pointer = LLVMGetTypeKind(o->type) == LLVMPointerTypeKind;
        l->cells[o->cell] = is_pointer ? LLVMBuildPtrToInt(l->b, o->value, l->p->t_i64, "")
                                       : resize(l, o->value, 64);
        l->addresses[o->cell] = is_pointer ? o->value : NULL;
    }
}

static LLVMValueRef output_of(struct lift *l, const struct asm_operand *o)
{
    bool is_pointer = LLVMGetTypeKind(o->type) == LLVMPointerTypeKind;
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(l->p->layout, o->type);
    if (o->is_flag) {
        LLVMValueRef flag = condition(l, o->condition);
        return flag && !is_pointer ? resize(l, flag, bits) : NULL;
    }
    if (!is_pointer)
        return cell_get(l, o->cell, bits);
    return l->addresses[o->cell]
               ? l->addresses[o->cell]
               : LLVMBuildIntToPtr(l->b, cell_get(l, o->cell, 64), l->p->t_ptr, "");
}

/* What the call gave; NULL: it cannot be said, or it gave nothing. */
static LLVMValueRef result_of(struct lift *l)
{
    LLVMTypeRef type = LLVMTypeOf(l->a->call);
    bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    LLVMValueRef all = is_struct ? LLVMGetUndef(type) : NULL;
    for (uint32_t k = 0, part = 0; k < l->a->operand_count; k++) {
        const struct asm_operand *o = &l->a->operands[k];
        if (!o->is_output || o->is_memory)
            continue;
        LLVMValueRef value = output_of(l, o);
        if (!value || !is_struct)
            return value;
        all = LLVMBuildInsertValue(l->b, all, value, part++, "");
    }
    return all;
}

/* Nothing, and nothing to do, is left as it is: the compiler takes it for a barrier. */
static bool has_meaning(const struct assembly *a)
{
    for (uint32_t k = 0; k < a->line_count; k++)
        if (strcmp(a->lines[k].name, "nop") != 0)
            return true;
    return false;
}

static void take_back(LLVMValueRef call, LLVMValueRef before)
{
    for (LLVMValueRef i; (i = LLVMGetPreviousInstruction(call)) != before;)
        LLVMInstructionEraseFromParent(i);
}

/* What stands for a request to Valgrind's tools: four turns that change nothing, and an
 * exchange of a register with itself. rax leads to the request and its arguments, rdx gets the
 * answer. */
static bool is_request(const struct assembly *a)
{
    static const int64_t turns[] = {3, 13, 61, 51};
    if (a->line_count != 5 || !a->is_whole || strcmp(a->lines[4].name, "xchgq") != 0 ||
        a->lines[4].args[0].cell != REG_BX || a->lines[4].args[1].cell != REG_BX)
        return false;
    for (uint32_t k = 0; k < 4; k++)
        if (strcmp(a->lines[k].name, "rolq") != 0 || a->lines[k].args[0].number != turns[k] ||
            a->lines[k].args[1].cell != REG_DI)
            return false;
    return true;
}

static bool lift_request(struct lift *l)
{
    LLVMTypeRef params[2] = {l->p->t_i64, l->p->t_i64};
    LLVMTypeRef type = LLVMFunctionType(l->p->t_i64, params, 2, false);
    LLVMValueRef fn = LLVMGetNamedFunction(l->p->mod, REQUEST);
    LLVMValueRef args[] = {cell_get(l, REG_AX, 64), cell_get(l, REG_DX, 64)};
    if (!args[0] || !args[1])
        return false;
    if (!fn)
        fn = LLVMAddFunction(l->p->mod, REQUEST, type);
    cell_set(l, REG_DX, 64, LLVMBuildCall2(l->b, type, fn, args, 2, ""));
    return true;
}

static bool lift_lines(struct lift *l)
{
    if (is_request(l->a))
        return lift_request(l);
    bool is_known = true;
    for (uint32_t k = 0; k < l->a->line_count && is_known; k++)
        is_known = lift_line(l, &l->a->lines[k]);
    return is_known;
}

static bool lift_call(struct lift *l)
{
    const struct assembly *a = l->a;
    LLVMValueRef before = LLVMGetPreviousInstruction(a->call);
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(a->call)) == LLVMVoidTypeKind;
    bool is_known = a->is_whole && a->is_plain && has_meaning(a);
    LLVMPositionBuilderBefore(l->b, a->call);
    LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(a->call));
    begin(l);
    is_known = is_known && lift_lines(l);
    LLVMValueRef result = is_known && !is_void ? result_of(l) : NULL;
    if (!is_known || (!is_void && !result)) {
        take_back(a->call, before);
        return false;
    }
    if (result)
        LLVMReplaceAllUsesWith(a->call, result);
    LLVMInstructionEraseFromParent(a->call);
    return true;
}

static void lift_intrinsic(struct lift *l, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(l->b, call);
    LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef value = ask_instead(l, call);
    if (!value)
        return;
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
}

static void lift_function(struct pass *p, LLVMBuilderRef b, LLVMValueRef fn)
{
    LLVMValueRef next;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
            struct assembly a;
            struct lift l = {.p = p, .b = b, .a = &a};
            next = LLVMGetNextInstruction(i);
            if (!LLVMIsACallInst(i))
                continue;
            if (!LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                lift_intrinsic(&l, i);
            else if (assembly_read(p, i, &a))
                lift_call(&l);
        }
}

void lift_assembly(struct pass *p)
{
    static const char here[] = "x86_64";
    if (strncmp(LLVMGetTarget(p->mod), here, sizeof here - 1) != 0)
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(p->ctx);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (!function_has(f, "naked"))
            lift_function(p, b, f);
    LLVMDisposeBuilder(b);
}
