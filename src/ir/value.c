/* SPDX-License-Identifier: Apache-2.0
 *
 * value: numbers with terms. The number is computed by the same rules as the term would be
 * (term_fold), so that the two agree wherever both are there. */
#include "ir/exec.h"

struct val val_number(unsigned width, term_bits bits)
{
    return (struct val){.is_known = true,
                        .width = (uint16_t)width,
                        .term = NONE,
                        .bits = bits & term_mask(width)};
}

/* ---- types ------------------------------------------------------------------------------- */

unsigned type_width(struct exec *x, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) <= TERM_WIDTH_MAX ? LLVMGetIntTypeWidth(type) : 0;
    case LLVMPointerTypeKind:
        return 64;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
        return (unsigned)LLVMSizeOfTypeInBits(x->ir->units.at[0].layout, type);
    default:
        return 0;
    }
}

uint32_t type_parts(LLVMTypeRef type)
{
    enum { PARTS_MAX = 1 << 16 };
    uint64_t count = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        count = LLVMCountStructElementTypes(type);
        break;
    case LLVMArrayTypeKind:
        count = LLVMGetArrayLength2(type);
        break;
    case LLVMVectorTypeKind:
        count = LLVMGetVectorSize(type);
        break;
    default:
        break;
    }
    return count <= PARTS_MAX ? (uint32_t)count : 0;
}

LLVMTypeRef type_part(LLVMTypeRef type, uint32_t i)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
                                                       : LLVMGetElementType(type);
}

uint64_t type_part_offset(struct exec *x, LLVMTypeRef type, uint32_t i)
{
    LLVMTargetDataRef layout = x->ir->units.at[0].layout;
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return LLVMOffsetOfElement(layout, type, i);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return i * (LLVMSizeOfTypeInBits(layout, LLVMGetElementType(type)) / 8);
    return i * LLVMABISizeOfType(layout, LLVMGetElementType(type));
}

struct val val_unknown(struct exec *x, LLVMTypeRef type)
{
    struct val v = {.width = (uint16_t)type_width(x, type), .term = NONE};
    v.part_count = v.width ? 0 : type_parts(type);
    if (v.part_count)
        v.parts = ARENA_NEW(&x->mem, struct val, v.part_count);
    for (uint32_t i = 0; i < v.part_count; i++)
        v.parts[i] = val_unknown(x, type_part(type, i));
    return v;
}

/* ---- terms ------------------------------------------------------------------------------- */

term val_term(struct exec *x, const struct val *v)
{
    CHECK(v->width && v->is_known);
    if (v->term != NONE)
        return v->term;
    term_bits bits = v->width == 64 ? object_real(x, (uint64_t)v->bits) : v->bits;
    struct made_up *o = v->width == 64 ? object_at(x, (uint64_t)bits) : NULL;
    if (o)
        o->in_term = true;
    return term_const(x->pool, v->width, bits);
}

/* A constant needs no term. */
static struct val with_term(struct exec *x, struct val v, term t)
{
    v.term = term_is_const(x->pool, t) ? NONE : t;
    return v;
}

struct val val_binary(struct exec *x, enum term_op op, const struct val *a, const struct val *b)
{
    unsigned width = op >= TERM_EQ && op <= TERM_SLE ? 1 : a->width;
    if (!a->is_known || !b->is_known || a->width != b->width || !a->width)
        return (struct val){.width = (uint16_t)width, .term = NONE};
    struct val v = val_number(width, term_fold(op, a->width, a->bits, b->bits));
    if (a->term == NONE && b->term == NONE)
        return v;
    return with_term(x, v, term_binary(x->pool, op, val_term(x, a), val_term(x, b)));
}

struct val val_cast(struct exec *x, LLVMOpcode op, const struct val *v, unsigned width)
{
    struct val to = *v;
    to.width = (uint16_t)width;
    if (!v->is_known || v->width == width || !v->width)
        return to;
    if (op == LLVMSExt)
        to.bits = (term_bits)term_signed(v->bits, v->width);
    to.bits &= term_mask(width);
    if (v->term == NONE)
        return to;
    term t = width < v->width ? term_extract(x->pool, v->term, 0, width)
             : op == LLVMSExt ? term_sext(x->pool, v->term, width)
                              : term_zext(x->pool, v->term, width);
    return with_term(x, to, t);
}

/* Of a condition with a term, both sides must be known scalars; else the caller has fixed
 * it. */
struct val val_select(struct exec *x, const struct val *c, const struct val *a,
                      const struct val *b)
{
    const struct val *taken = c->bits ? a : b;
    if (c->term == NONE || taken->part_count || !a->is_known || !b->is_known)
        return *taken;
    return with_term(x, val_number(taken->width, taken->bits),
                     term_ite(x->pool, c->term, val_term(x, a), val_term(x, b)));
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void scalar_to_bytes(struct exec *x, const struct val *v, struct byte *out, uint64_t len)
{
    term t = v->term;
    uint64_t used = (v->width + 7U) / 8;
    if (t != NONE && v->width % 8)
        t = term_zext(x->pool, t, (unsigned)(8 * used));
    for (uint64_t i = 0; i < len && i < used; i++)
        out[i] = (struct byte){.term = t,
                               .value = (uint8_t)(v->bits >> (8 * i)),
                               .index = (uint8_t)i,
                               .is_known = v->is_known};
}

void val_to_bytes(struct exec *x, const struct val *v, LLVMTypeRef type, struct byte *out,
                  uint64_t len)
{
    for (uint64_t i = 0; i < len; i++)
        out[i] = (struct byte){.term = NONE};
    if (v->width)
        scalar_to_bytes(x, v, out, len);
    for (uint32_t i = 0; i < v->part_count; i++) {
        uint64_t at = type_part_offset(x, type, i);
        LLVMTypeRef part = type_part(type, i);
        uint64_t bytes = LLVMStoreSizeOfType(x->ir->units.at[0].layout, part);
        if (at + bytes <= len)
            val_to_bytes(x, &v->parts[i], part, out + at, bytes);
    }
}

/* The term that a row of bytes is: most often one that was put there whole. */
static term term_of_bytes(struct exec *x, const struct byte *in, uint64_t len)
{
    bool is_whole = in[0].term != NONE;
    for (uint64_t i = 0; i < len && is_whole; i++)
        is_whole = in[i].term == in[0].term && in[i].index == in[0].index + i;
    if (is_whole)
        return term_extract(x->pool, in[0].term, 8U * in[0].index, (unsigned)(8 * len));
    term all = NONE;
    for (uint64_t i = 0; i < len; i++) {
        term one = in[i].term == NONE ? term_const(x->pool, 8, in[i].value)
                                      : term_extract(x->pool, in[i].term, 8U * in[i].index, 8);
        all = all == NONE ? one : term_concat(x->pool, one, all);
    }
    return all;
}

struct val val_from_row(struct exec *x, unsigned width, const struct byte *in, uint64_t len)
{
    struct val v = val_number(width, 0);
    bool is_symbolic = false;
    for (uint64_t i = 0; i < len; i++) {
        v.bits |= (term_bits)in[i].value << (8 * i);
        v.is_known &= in[i].is_known;
        is_symbolic |= in[i].term != NONE;
    }
    v.bits &= term_mask(width);
    if (!v.is_known)
        return (struct val){.width = (uint16_t)width, .term = NONE};
    if (!is_symbolic)
        return v;
    term t = term_of_bytes(x, in, len);
    if (width < 8 * len)
        t = term_extract(x->pool, t, 0, width);
    return with_term(x, v, t);
}

struct val val_from_bytes(struct exec *x, LLVMTypeRef type, const struct byte *in, uint64_t len)
{
    unsigned width = type_width(x, type);
    if (width && (width + 7U) / 8 <= len)
        return val_from_row(x, width, in, (width + 7U) / 8);
    struct val v = val_unknown(x, type);
    for (uint32_t i = 0; i < v.part_count; i++) {
        uint64_t at = type_part_offset(x, type, i);
        LLVMTypeRef part = type_part(type, i);
        uint64_t bytes = LLVMStoreSizeOfType(x->ir->units.at[0].layout, part);
        if (at + bytes <= len)
            v.parts[i] = val_from_bytes(x, part, in + at, bytes);
    }
    return v;
}
