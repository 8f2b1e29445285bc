/* SPDX-License-Identifier: Apache-2.0
 *
 * wide: accesses that are no single load or store of a value: objects that the library of
 * atomics (libatomic) guards, and vectors of which a mask says which lanes are touched. */
#include "instr/insert.h"

#include "heddle/abi.h"

#include <stdlib.h>
#include <string.h>

/* ---- the library of atomics ------------------------------------------------------------- *
 * __atomic_load(size, object, result, order)       value = __atomic_load_16(object, order)
 * __atomic_store(size, object, value, order)       __atomic_store_16(object, value, order)
 * __atomic_exchange(size, object, value, result, order)
 * __atomic_compare_exchange(size, object, expected, desired, order, order if it failed)
 * and the like. Values are passed by address, or as they are if the name ends in their size. */

struct libatomic libatomic_find(LLVMValueRef callee)
{
    static const struct {
        const char *name;
        char what;
    } rows[] = {{"load", 'l'},
                {"store", 's'},
                {"exchange", 'x'},
                {"compare_exchange", 'c'},
                {"fetch_", 'x'}};
    size_t len;
    const char *name = LLVMGetValueName2(callee, &len), *end = name + len;
    static const char prefix[] = "__atomic_";
    if (!LLVMIsDeclaration(callee) || !is_named(callee, prefix))
        return (struct libatomic){0};
    name += sizeof prefix - 1;
    const char *digits = end;
    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    bool is_sized = digits < end && digits > name && digits[-1] == '_';
    size_t stem = (size_t)((is_sized ? digits - 1 : end) - name);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t want = strlen(rows[i].name);
        bool is_family = rows[i].name[want - 1] == '_'; /* fetch_add and its kin */
        if (stem < want || memcmp(name, rows[i].name, want) != 0 ||
            (!is_family && stem != want))
            continue;
        if (is_family && !is_sized)
            continue;
        return (struct libatomic){rows[i].what,
                                  is_sized ? (uint8_t)strtoul(digits, NULL, 10) : 0};
    }
    return (struct libatomic){0};
}

LLVMValueRef libatomic_address(const struct op *op)
{
    return LLVMGetOperand(op->inst, op->libatomic.bytes ? 0 : 1);
}

/* A call of the library while it is taken apart. */
struct libcall {
    struct insert *in;
    const struct op *op;
    LLVMValueRef site, address, bytes, size; /* 64 and 32 bits; events have at most 255 */
    LLVMValueRef by_address[2];              /* its buffers, or NULL */
    LLVMValueRef written;                    /* the buffer that it writes, or NULL */
};

static LLVMValueRef hash(struct libcall *c, LLVMValueRef at)
{
    return CALL(c->in, HOOK_HASH, at, c->bytes);
}

static LLVMValueRef argument(const struct libcall *c, unsigned i)
{
    return LLVMGetOperand(c->op->inst, i);
}

static LLVMValueRef order_argument(struct libcall *c, unsigned from_end)
{
    unsigned count = LLVMGetNumArgOperands(c->op->inst);
    return LLVMBuildIntCast2(c->in->b, argument(c, count - 1 - from_end), c->in->p->t_i32,
                             false, "");
}

/* Which of its arguments are buffers, and which one it writes. */
static void find_buffers(struct libcall *c)
{
    bool is_generic = c->op->libatomic.bytes == 0;
    char what = c->op->libatomic.what;
    if (what == 'c') {
        c->by_address[0] = c->written = argument(c, is_generic ? 2 : 1);
        c->by_address[1] = is_generic ? argument(c, 3) : NULL;
    } else if (is_generic) {
        c->by_address[0] = what == 'l' ? NULL : argument(c, 2);
        c->written = what == 'l' ? argument(c, 2) : what == 'x' ? argument(c, 3) : NULL;
    }
}

static void tell_result(struct libcall *c)
{
    struct insert *in = c->in;
    bool is_generic = c->op->libatomic.bytes == 0;
    LLVMValueRef seen, wanted, stored;
    switch (c->op->libatomic.what) {
    case 'l':
        CALL(in, HOOK_ATOMIC_LOAD, c->address, c->size, hash(c, c->address),
             order_argument(c, 0), c->site);
        break;
    case 's':
        CALL(in, HOOK_ATOMIC_STORE, c->address, c->size, hash(c, c->address),
             order_argument(c, 0), c->site);
        break;
    case 'x':
        seen = is_generic ? hash(c, c->written) : bits_of(in, c->op->inst);
        CALL(in, HOOK_RMW, c->address, c->size, seen, hash(c, c->address), order_argument(c, 0),
             c->site);
        break;
    default: /* what was seen is in the buffer of what was expected, either way */
        seen = hash(c, c->by_address[0]);
        wanted = is_generic ? hash(c, c->by_address[1]) : bits_of(in, argument(c, 2));
        stored = LLVMBuildIsNotNull(in->b, c->op->inst, "");
        CALL(in, HOOK_CAS, c->address, c->size, seen, wanted,
             LLVMBuildZExt(in->b, stored, in->p->t_i32, ""),
             LLVMBuildSelect(in->b, stored, order_argument(c, 1), order_argument(c, 0), ""),
             c->site);
    }
}

/* Of its size nothing is said: it stays sequentially consistent. */
static LLVMValueRef libatomic_how(struct libcall *c)
{
    static const struct {
        char what;
        uint8_t kind;
    } kinds[] = {{'l', HEDDLE_ATOMIC_LOAD},
                 {'s', HEDDLE_ATOMIC_STORE},
                 {'x', HEDDLE_ATOMIC_RMW},
                 {'c', HEDDLE_ATOMIC_CAS}};
    unsigned i = 0;
    while (i < 3 && kinds[i].what != c->op->libatomic.what)
        i++;
    LLVMValueRef order = u32(c->in, 5);
    return atomic_how(c->in, 0, kinds[i].kind, order, order);
}

void insert_libatomic(struct insert *in, const struct op *op, LLVMValueRef site)
{
    struct libcall c = {.in = in, .op = op, .site = site, .address = libatomic_address(op)};
    LLVMValueRef most = u64(in, UINT8_MAX);
    c.bytes = op->libatomic.bytes ? u64(in, op->libatomic.bytes)
                                  : LLVMBuildIntCast2(in->b, LLVMGetOperand(op->inst, 0),
                                                      in->p->t_i64, false, "");
    c.size = LLVMBuildSelect(in->b, LLVMBuildICmp(in->b, LLVMIntULT, c.bytes, most, ""),
                             c.bytes, most, "");
    c.size = LLVMBuildTrunc(in->b, c.size, in->p->t_i32, "");
    find_buffers(&c);
    for (unsigned i = 0; i < 2; i++)
        if (c.by_address[i] && !memory_is_private(in->p, c.by_address[i]))
            CALL(in, HOOK_READ_RANGE, c.by_address[i], c.bytes, site);
    CALL(in, HOOK_ATOMIC_POINT, c.address, libatomic_how(&c), u64(in, 0), site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    tell_result(&c);
    if (c.written && !memory_is_private(in->p, c.written))
        CALL(in, HOOK_WRITE_RANGE, c.written, c.bytes, site);
}

/* ---- vectors by lanes ------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool writes, is_packed; /* lanes without a mask bit take no room */
    int address, mask;      /* arguments; address -1: a vector of addresses is the first one or,
                               of a write, the second */
} masked[] = {
    {"llvm.masked.load.", false, false, 0, 2},
    {"llvm.masked.store.", true, false, 1, 3},
    {"llvm.masked.expandload.", false, true, 0, 1},
    {"llvm.masked.compressstore.", true, true, 1, 2},
    {"llvm.masked.gather.", false, false, -1, 2},
    {"llvm.masked.scatter.", true, false, -1, 3},
};

static int masked_row(LLVMValueRef call)
{
    for (unsigned i = 0; i < sizeof masked / sizeof masked[0]; i++)
        if (is_intrinsic(call, masked[i].name))
            return (int)i;
    return -1;
}

bool masked_is(LLVMValueRef call, bool *writes)
{
    int row = masked_row(call);
    *writes = row >= 0 && masked[row].writes;
    return row >= 0;
}

LLVMValueRef masked_address(LLVMValueRef call)
{
    int at = masked[masked_row(call)].address;
    return at < 0 ? NULL : LLVMGetOperand(call, (unsigned)at);
}

static void tell_lanes(struct insert *in, bool writes, LLVMValueRef address, LLVMValueRef bits,
                       LLVMValueRef lane, bool is_over, LLVMValueRef site)
{
    if (writes)
        CALL(in, HOOK_WRITE_LANES, address, lane, bits, u32(in, is_over), site);
    else
        CALL(in, HOOK_READ_LANES, address, lane, bits, site);
}

/* Bit n: lane n is touched. Packed lanes move together. */
static LLVMValueRef mask_bits(struct insert *in, LLVMValueRef mask, unsigned lanes,
                              bool is_packed)
{
    LLVMTypeRef narrow = LLVMIntTypeInContext(in->p->ctx, lanes);
    LLVMValueRef bits = LLVMBuildBitCast(in->b, mask, narrow, "");
    if (lanes < 64)
        bits = LLVMBuildZExt(in->b, bits, in->p->t_i64, "");
    if (!is_packed)
        return bits;
    unsigned id = LLVMLookupIntrinsicID("llvm.ctpop", 10);
    LLVMValueRef count = LLVMBuildCall2(
        in->b, LLVMIntrinsicGetType(in->p->ctx, id, &in->p->t_i64, 1),
        LLVMGetIntrinsicDeclaration(in->p->mod, id, &in->p->t_i64, 1), &bits, 1, "");
    LLVMValueRef all =
        LLVMBuildSub(in->b, LLVMBuildShl(in->b, u64(in, 1), count, ""), u64(in, 1), "");
    return LLVMBuildSelect(in->b, LLVMBuildICmp(in->b, LLVMIntEQ, count, u64(in, 64), ""),
                           u64(in, UINT64_MAX), all, "");
}

static void tell_masked(struct insert *in, const struct op *op, bool is_over, LLVMValueRef site)
{
    int row = masked_row(op->inst);
    bool writes = masked[row].writes;
    LLVMValueRef mask = LLVMGetOperand(op->inst, (unsigned)masked[row].mask);
    LLVMTypeRef values = LLVMTypeOf(writes ? LLVMGetOperand(op->inst, 0) : op->inst);
    unsigned lanes = LLVMGetVectorSize(values);
    LLVMValueRef lane = u32(in, store_bytes(in->p, LLVMGetElementType(values)));
    if (masked[row].address >= 0) {
        tell_lanes(in, writes, masked_address(op->inst),
                   mask_bits(in, mask, lanes, masked[row].is_packed), lane, is_over, site);
        return;
    }
    LLVMValueRef all = LLVMGetOperand(op->inst, writes ? 1 : 0);
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef bit = LLVMBuildExtractElement(in->b, mask, u32(in, i), "");
        tell_lanes(in, writes, LLVMBuildExtractElement(in->b, all, u32(in, i), ""),
                   LLVMBuildZExt(in->b, bit, in->p->t_i64, ""), lane, is_over, site);
    }
}

void insert_masked(struct insert *in, const struct op *op, LLVMValueRef site)
{
    bool writes;
    masked_is(op->inst, &writes);
    tell_masked(in, op, false, site);
    if (!writes)
        return;
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    tell_masked(in, op, true, site);
}
