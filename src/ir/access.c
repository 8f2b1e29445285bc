/* SPDX-License-Identifier: Apache-2.0
 *
 * access: loads, stores, atomics and copies. What is instrumented has events: they say the
 * address and what was read or written, and what is written must be what was computed. What is
 * not instrumented is memory of the thread's own, or constant. */
#include "ir/exec.h"

enum { ACCESS_MAX_BYTES = 1 << 16 };

static uint64_t bytes_of(struct exec *x, LLVMTypeRef type)
{
    return LLVMStoreSizeOfType(x->ir->units.at[0].layout, type);
}

static bool is_read(unsigned kind)
{
    return kind == EV_READ || kind == EV_ATOMIC_LOAD;
}

static bool is_write(unsigned kind)
{
    return kind == EV_WRITE || kind == EV_ATOMIC_STORE;
}

static bool is_of(const struct exec *x, const struct seen *it, LLVMValueRef inst)
{
    return it && x->place_of_site[it->site] == place_of(x->ir, inst);
}

/* Room for so many bytes of memory, until the thread's end. */
static struct byte *new_row(struct exec *x, uint64_t len)
{
    return ARENA_NEW(&x->mem, struct byte, len + 1);
}

/* ---- one event --------------------------------------------------------------------------- */

static uint8_t byte_of(uint64_t value, unsigned i)
{
    return (uint8_t)(value >> (8 * i));
}

/* A read of shared memory may see anything: it is a variable. */
static void read_shared(struct exec *x, const struct seen *it, uint64_t value, struct byte *out)
{
    term var = term_var(x->pool, 8U * it->size);
    add_step(x, (struct ir_step){.kind = IR_READ,
                                 .size = it->size,
                                 .is_atomic = it->kind != EV_READ,
                                 .site = it->site,
                                 .term = var,
                                 .event = it->number,
                                 .addr = it->addr,
                                 .value = value});
    for (unsigned i = 0; i < it->size; i++)
        out[i] = (struct byte){
            .term = var, .value = byte_of(value, i), .index = (uint8_t)i, .is_known = true};
}

static bool read_own(struct exec *x, const struct seen *it, uint64_t value, struct byte *out)
{
    for (unsigned i = 0; i < it->size; i++) {
        struct byte b = memory_own(x, it->addr + i);
        bool differs = b.is_known && b.value != byte_of(value, i);
        if (differs && !b.is_weak)
            return exec_stop(x, "byte %u of what is read is %u, %u was expected", i,
                             byte_of(value, i), b.value);
        if (!b.is_known || differs) {
            b = (struct byte){.term = NONE, .value = byte_of(value, i), .is_known = true};
            memory_put(x, it->addr + i, b);
        }
        out[i] = b;
    }
    return true;
}

static bool read_item(struct exec *x, const struct seen *it, uint64_t value, struct byte *out)
{
    if (it->size > 8)
        return exec_stop(x, "an access of %u bytes at once", it->size);
    if (!it->is_shared)
        return read_own(x, it, value, out);
    read_shared(x, it, value, out);
    return true;
}

/* in: what was computed; the recorded value is what counts for bytes nobody knows. */
static bool write_item(struct exec *x, const struct seen *it, uint64_t value, struct byte *in)
{
    if (it->size > 8)
        return exec_stop(x, "an access of %u bytes at once", it->size);
    struct val v = val_from_row(x, 8U * it->size, in, it->size);
    if (v.is_known && v.bits != value && !object_agrees(x, (uint64_t)v.bits, value))
        return exec_stop(x, "%llu is written, %llu was expected", (unsigned long long)value,
                         (unsigned long long)v.bits);
    for (unsigned i = 0; i < it->size; i++) {
        in[i].value = byte_of(value, i);
        in[i].is_known = true;
    }
    if (!it->is_shared) {
        for (unsigned i = 0; i < it->size; i++)
            memory_put(x, it->addr + i, in[i]);
        return true;
    }
    v = val_from_row(x, 8U * it->size, in, it->size);
    add_step(x, (struct ir_step){.kind = IR_WRITE,
                                 .size = it->size,
                                 .is_atomic = it->kind != EV_WRITE,
                                 .site = it->site,
                                 .term = val_term(x, &v),
                                 .event = it->number,
                                 .addr = it->addr,
                                 .value = value});
    return true;
}

/* ---- many events ------------------------------------------------------------------------- */

/* Is the event where the instruction goes? An address that nobody knows is learnt. */
static bool meet(struct exec *x, struct val *addr, uint64_t done, const struct seen *it)
{
    if (!addr->is_known) {
        *addr = val_number(64, it->addr - done);
        return true;
    }
    if (object_agrees(x, (uint64_t)addr->bits + done, it->addr))
        return true;
    return exec_stop(x, "an access goes to another object than was expected");
}

static bool read_row(struct exec *x, LLVMValueRef inst, struct val *addr, struct byte *out,
                     uint64_t len)
{
    for (uint64_t done = 0; done < len;) {
        const struct seen *it = next_item(x);
        if (!is_of(x, it, inst) || !is_read(it->kind) || it->size > len - done)
            return exec_stop(x, "a read was expected");
        if (!meet(x, addr, done, it) || !read_item(x, it, it->value, out + done))
            return false;
        done += it->size;
        take_item(x);
    }
    return true;
}

/* A destructor has looked first, and found what it was about to write (__heddle_table). */
static bool was_there(struct exec *x, LLVMValueRef inst, struct val *addr)
{
    struct byte row[8];
    const struct seen *it = next_item(x);
    if (!is_of(x, it, inst) || it->kind != EV_READ || it->size != sizeof row ||
        !meet(x, addr, 0, it) || !read_item(x, it, it->value, row))
        return false;
    take_item(x);
    it = next_item(x);
    return !is_of(x, it, inst) || !is_write(it->kind);
}

static bool write_row(struct exec *x, LLVMValueRef inst, struct val *addr, struct byte *in,
                      uint64_t len)
{
    for (uint64_t done = 0; done < len;) {
        const struct seen *it = next_item(x);
        if (!is_of(x, it, inst) || !is_write(it->kind) || it->size > len - done)
            return exec_stop(x, "a write was expected");
        if (!meet(x, addr, done, it) || !write_item(x, it, it->value, in + done))
            return false;
        done += it->size;
        take_item(x);
    }
    return true;
}

/* ---- instructions ------------------------------------------------------------------------ */

bool exec_load(struct exec *x, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    uint64_t len = bytes_of(x, type);
    LLVMValueRef operand = LLVMGetOperand(inst, 0);
    struct val addr = value_of(x, operand);
    if (len > ACCESS_MAX_BYTES)
        return exec_stop(x, "a load of %llu bytes", (unsigned long long)len);
    struct byte *row = new_row(x, len);
    check_address(x, inst, operand, &addr, len);
    if (place_of(x->ir, inst) != NONE) {
        if (!read_row(x, inst, &addr, row, len))
            return false;
    } else {
        for (uint64_t i = 0; i < len; i++)
            row[i] = addr.is_known ? memory_get(x, (uint64_t)addr.bits + i)
                                   : (struct byte){.term = NONE};
    }
    set_value(x, inst, val_from_bytes(x, type, row, len));
    return true;
}

bool exec_store(struct exec *x, LLVMValueRef inst)
{
    LLVMValueRef from = LLVMGetOperand(inst, 0), operand = LLVMGetOperand(inst, 1);
    LLVMTypeRef type = LLVMTypeOf(from);
    uint64_t len = bytes_of(x, type);
    struct val v = value_of(x, from), addr = value_of(x, operand);
    if (len > ACCESS_MAX_BYTES)
        return exec_stop(x, "a store of %llu bytes", (unsigned long long)len);
    struct byte *row = new_row(x, len);
    val_to_bytes(x, &v, type, row, len);
    check_address(x, inst, operand, &addr, len);
    if (place_of(x->ir, inst) != NONE)
        return was_there(x, inst, &addr) || write_row(x, inst, &addr, row, len);
    if (!addr.is_known)
        return exec_stop(x, "a store to an address that is not known");
    for (uint64_t i = 0; i < len; i++)
        memory_put(x, (uint64_t)addr.bits + i, row[i]);
    return true;
}

/* ---- atomics ----------------------------------------------------------------------------- */

static struct val least_or_most(struct exec *x, enum term_op less, const struct val *a,
                                const struct val *b, bool most)
{
    struct val c = val_binary(x, less, a, b);
    return most ? val_select(x, &c, b, a) : val_select(x, &c, a, b);
}

/* Unknown for floating point and what else there may be. */
static struct val rmw_result(struct exec *x, LLVMAtomicRMWBinOp op, const struct val *old,
                             const struct val *by)
{
    struct val v;
    switch (op) {
    case LLVMAtomicRMWBinOpXchg:
        return *by;
    case LLVMAtomicRMWBinOpAdd:
        return val_binary(x, TERM_ADD, old, by);
    case LLVMAtomicRMWBinOpSub:
        return val_binary(x, TERM_SUB, old, by);
    case LLVMAtomicRMWBinOpAnd:
        return val_binary(x, TERM_AND, old, by);
    case LLVMAtomicRMWBinOpOr:
        return val_binary(x, TERM_OR, old, by);
    case LLVMAtomicRMWBinOpXor:
        return val_binary(x, TERM_XOR, old, by);
    case LLVMAtomicRMWBinOpNand: {
        struct val ones = val_number(old->width, ~(term_bits)0);
        v = val_binary(x, TERM_AND, old, by);
        return val_binary(x, TERM_XOR, &v, &ones);
    }
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpMin:
        return least_or_most(x, TERM_SLT, old, by, op == LLVMAtomicRMWBinOpMax);
    case LLVMAtomicRMWBinOpUMax:
    case LLVMAtomicRMWBinOpUMin:
        return least_or_most(x, TERM_ULT, old, by, op == LLVMAtomicRMWBinOpUMax);
    default:
        return (struct val){.width = old->width, .term = NONE};
    }
}

static const struct seen *atomic_item(struct exec *x, LLVMValueRef inst, unsigned kind,
                                      struct val *addr)
{
    const struct seen *it = next_item(x);
    if (!is_of(x, it, inst) || it->kind != kind) {
        exec_stop(x, "an atomic operation was expected");
        return NULL;
    }
    return meet(x, addr, 0, it) ? it : NULL;
}

/* The address of an atomic operation on memory that is not instrumented: the thread's own. */
static bool own_row(struct exec *x, const struct val *addr, struct byte *row, uint64_t len)
{
    if (!addr->is_known)
        return exec_stop(x, "an atomic operation at an address that is not known");
    for (uint64_t i = 0; i < len; i++)
        row[i] = memory_get(x, (uint64_t)addr->bits + i);
    return true;
}

bool exec_rmw(struct exec *x, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    uint64_t len = bytes_of(x, type);
    struct val addr = value_of(x, LLVMGetOperand(inst, 0));
    struct val by = value_of(x, LLVMGetOperand(inst, 1));
    struct byte row[16] = {{0}};
    bool has_site = place_of(x->ir, inst) != NONE;
    if (len > 8)
        return exec_stop(x, "an atomic operation on %llu bytes", (unsigned long long)len);
    check_address(x, inst, LLVMGetOperand(inst, 0), &addr, len);
    const struct seen *it = has_site ? atomic_item(x, inst, EV_RMW, &addr) : NULL;
    if (has_site ? !it || !read_item(x, it, it->value, row) : !own_row(x, &addr, row, len))
        return false;
    struct val old = val_from_bytes(x, type, row, len);
    set_value(x, inst, old);
    struct val after = rmw_result(x, LLVMGetAtomicRMWBinOp(inst), &old, &by);
    if (!after.is_known) {
        fix_value(x, IR_FLOAT, inst, &old);
        fix_value(x, IR_FLOAT, inst, &by);
    }
    val_to_bytes(x, &after, type, row, len);
    if (it) {
        if (!write_item(x, it, it->value2, row))
            return false;
        take_item(x);
        return true;
    }
    for (uint64_t i = 0; i < len; i++)
        memory_put(x, (uint64_t)addr.bits + i, row[i]);
    return true;
}

bool exec_cas(struct exec *x, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 1));
    uint64_t len = bytes_of(x, type);
    struct val addr = value_of(x, LLVMGetOperand(inst, 0));
    struct val expected = value_of(x, LLVMGetOperand(inst, 1));
    struct val wanted = value_of(x, LLVMGetOperand(inst, 2));
    struct byte row[16] = {{0}};
    bool has_site = place_of(x->ir, inst) != NONE;
    if (len > 8)
        return exec_stop(x, "an atomic operation on %llu bytes", (unsigned long long)len);
    check_address(x, inst, LLVMGetOperand(inst, 0), &addr, len);
    const struct seen *it = has_site ? atomic_item(x, inst, EV_CAS, &addr) : NULL;
    if (has_site ? !it || !read_item(x, it, it->value, row) : !own_row(x, &addr, row, len))
        return false;
    struct val old = val_from_bytes(x, type, row, len);
    struct val same = val_binary(x, TERM_EQ, &old, &expected);
    bool stored = it ? !(it->flags & FLAG(FAILED)) : same.bits != 0;
    if (same.is_known && (same.bits != 0) != stored && !LLVMGetWeak(inst))
        return exec_stop(x, "a compare-exchange went the other way");
    if (same.is_known && (same.bits != 0) == stored && same.term != NONE)
        add_guard(x, IR_BRANCH, inst, stored ? same.term : term_not(x->pool, same.term));
    struct val pair = val_unknown(x, LLVMTypeOf(inst));
    pair.parts[0] = old;
    pair.parts[1] = val_number(1, stored);
    set_value(x, inst, pair);
    val_to_bytes(x, &wanted, type, row, len);
    if (it) {
        if (stored && !write_item(x, it, it->value2, row))
            return false;
        take_item(x);
        return true;
    }
    for (uint64_t i = 0; stored && i < len; i++)
        memory_put(x, (uint64_t)addr.bits + i, row[i]);
    return true;
}

/* ---- copies ------------------------------------------------------------------------------ */

/* What is at the source: by its events, or the thread's own. */
static bool copy_from(struct exec *x, LLVMValueRef inst, struct val *from, struct byte *row,
                      uint64_t len)
{
    const struct seen *it = next_item(x);
    if (len && is_of(x, it, inst) && is_read(it->kind))
        return read_row(x, inst, from, row, len);
    for (uint64_t i = 0; i < len; i++)
        row[i] = from->is_known ? memory_get(x, (uint64_t)from->bits + i)
                                : (struct byte){.term = NONE};
    return true;
}

bool copy_range(struct exec *x, LLVMValueRef inst, struct val *from, uint64_t to, uint64_t len)
{
    fix_value(x, IR_ADDRESS, inst, from);
    if (len > ACCESS_MAX_BYTES)
        return exec_stop(x, "an argument of %llu bytes", (unsigned long long)len);
    struct byte *row = new_row(x, len);
    if (!copy_from(x, inst, from, row, len))
        return false;
    for (uint64_t i = 0; i < len; i++)
        memory_put(x, to + i, row[i]);
    return true;
}

bool exec_copy(struct exec *x, LLVMValueRef inst, bool is_set)
{
    struct val to = value_of(x, LLVMGetOperand(inst, 0));
    struct val count = value_of(x, LLVMGetOperand(inst, 2));
    fix_value(x, IR_ADDRESS, inst, &count);
    if (!count.is_known || count.bits > ACCESS_MAX_BYTES)
        return exec_stop(x, "a copy of too many bytes");
    uint64_t len = (uint64_t)count.bits;
    struct byte *row = new_row(x, len);
    struct val fill = is_set ? value_of(x, LLVMGetOperand(inst, 1)) : val_number(8, 0);
    for (uint64_t i = 0; i < len && is_set; i++)
        row[i] = (struct byte){
            .term = fill.term, .value = (uint8_t)fill.bits, .is_known = fill.is_known};
    if (!is_set) {
        struct val from = value_of(x, LLVMGetOperand(inst, 1));
        check_address(x, inst, LLVMGetOperand(inst, 1), &from, len);
        if (!copy_from(x, inst, &from, row, len))
            return false;
    }
    check_address(x, inst, LLVMGetOperand(inst, 0), &to, len);
    const struct seen *it = next_item(x);
    if (len && is_of(x, it, inst) && is_write(it->kind))
        return write_row(x, inst, &to, row, len);
    if (len && !to.is_known)
        return exec_stop(x, "a copy to an address that is not known");
    for (uint64_t i = 0; i < len; i++)
        memory_put(x, (uint64_t)to.bits + i, row[i]);
    return true;
}

/* ---- code from elsewhere ----------------------------------------------------------------- */

bool foreign_access(struct exec *x, const struct seen *it)
{
    struct byte row[8] = {{0}};
    if (is_write(it->kind)) {
        for (unsigned i = 0; i < 8; i++)
            row[i].term = NONE;
        return write_item(x, it, it->value, row);
    }
    if (!is_read(it->kind))
        return exec_stop(x, "code from elsewhere touches memory in a way that is not known");
    if (!it->is_shared) /* it may have been changed by that code */
        for (unsigned i = 0; i < it->size && i < 8; i++)
            if (memory_get(x, it->addr + i).value != byte_of(it->value, i))
                memory_forget(x, it->addr + i, 1);
    if (!read_item(x, it, it->value, row))
        return false;
    struct val v = val_from_row(x, 8U * it->size, row, it->size);
    fix_value(x, IR_FOREIGN, NULL, &v);
    return true;
}
