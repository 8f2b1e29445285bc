/* SPDX-License-Identifier: Apache-2.0
 *
 * constant: constants of the bitcode as values, where globals and functions lie, and what
 * constant variables hold. */
#include "ir/exec.h"

#include <string.h>

/* ---- addresses --------------------------------------------------------------------------- */

static bool is_private(LLVMValueRef g)
{
    return LLVMGetLinkage(g) == LLVMPrivateLinkage;
}

/* A variable that is defined in another unit. */
static LLVMValueRef defining(const struct ir *ir, LLVMValueRef g)
{
    size_t len;
    const char *name = LLVMGetValueName2(g, &len);
    for (uint32_t i = 0; i < ir->units.len; i++) {
        LLVMValueRef other = LLVMGetNamedGlobal(ir->units.at[i].mod, name);
        if (other && !LLVMIsDeclaration(other) && LLVMGetLinkage(other) != LLVMInternalLinkage)
            return other;
    }
    return g;
}

static uint64_t find_address(struct exec *x, LLVMValueRef g)
{
    size_t len;
    const char *name = LLVMGetValueName2(g, &len);
    bool is_fn = LLVMIsAFunction(g) != NULL;
    if (!is_fn && LLVMIsDeclaration(g))
        g = defining(x->ir, g);
    const struct unit *u = unit_of_function(x->ir, g);
    bool is_tls = !is_fn && LLVMIsThreadLocal(g);
    uint64_t at = is_private(g) || is_tls
                      ? 0
                      : image_address(&x->ir->images.at[u->image], name, u->source);
    if (at)
        return at;
    uint64_t size =
        is_fn || LLVMIsDeclaration(g)
            ? 1
            : LLVMABISizeOfType(x->ir->units.at[0].layout, LLVMGlobalGetValueType(g));
    return object_make(x, size, g);
}

static uint64_t global_address(struct exec *x, LLVMValueRef g)
{
    uint32_t *slot = map_at(&x->globals, key_of(g));
    if (*slot != NONE)
        return x->global_addr.at[*slot];
    uint32_t index = *slot = x->global_addr.len;
    vec_push(&x->global_addr, 0);
    uint64_t at = find_address(x, g);
    x->global_addr.at[index] = at;
    return at;
}

/* ---- values ------------------------------------------------------------------------------ */

static struct val integer(struct exec *x, LLVMValueRef c, unsigned width)
{
    (void)x;
    if (width <= 64)
        return val_number(width, LLVMConstIntGetZExtValue(c));
    /* only printing shows more than 64 bits of a constant to C */
    char *text = LLVMPrintValueToString(c);
    const char *digits = strrchr(text, ' ');
    bool is_negative = digits && digits[1] == '-';
    term_bits bits = 0;
    for (const char *p = digits ? digits + 1 + is_negative : ""; *p >= '0' && *p <= '9'; p++)
        bits = bits * 10U + (uint8_t)(*p - '0');
    LLVMDisposeMessage(text);
    return val_number(width, is_negative ? -bits : bits);
}

static struct val floating(LLVMValueRef c, unsigned width)
{
    LLVMBool loses;
    double d = LLVMConstRealGetDouble(c, &loses);
    float f = (float)d;
    uint64_t bits = 0;
    if (width == 64)
        memcpy(&bits, &d, sizeof d);
    else if (width == 32)
        memcpy(&bits, &f, sizeof f);
    else
        return (struct val){.width = (uint16_t)width, .term = NONE};
    return val_number(width, bits);
}

static struct val scaled(struct exec *x, struct val index, uint64_t size)
{
    struct val wide = val_cast(x, LLVMSExt, &index, 64), by = val_number(64, size);
    return val_binary(x, TERM_MUL, &wide, &by);
}

struct val element_offset(struct exec *x, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMTargetDataRef layout = x->ir->units.at[0].layout;
    unsigned count = (unsigned)LLVMGetNumOperands(gep);
    struct val at = val_number(64, 0);
    for (unsigned i = 1; i < count; i++) {
        struct val index = value_of(x, LLVMGetOperand(gep, i)), offset;
        if (i == 1) {
            offset = scaled(x, index, LLVMABISizeOfType(layout, type));
        } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)index.bits;
            offset = val_number(64, LLVMOffsetOfElement(layout, type, field));
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            type = LLVMGetElementType(type);
            offset = scaled(x, index, LLVMABISizeOfType(layout, type));
        }
        at = val_binary(x, TERM_ADD, &at, &offset);
    }
    return at;
}

struct val element_address(struct exec *x, LLVMValueRef gep)
{
    struct val base = value_of(x, LLVMGetOperand(gep, 0)), offset = element_offset(x, gep);
    return val_binary(x, TERM_ADD, &base, &offset);
}

static struct val expression(struct exec *x, LLVMValueRef c)
{
    LLVMOpcode op = LLVMGetConstOpcode(c);
    struct val a;
    switch (op) {
    case LLVMGetElementPtr:
        return element_address(x, c);
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
    case LLVMAddrSpaceCast:
        a = value_of(x, LLVMGetOperand(c, 0));
        return val_cast(x, LLVMZExt, &a, type_width(x, LLVMTypeOf(c)));
    case LLVMSub:
    case LLVMAdd: {
        struct val b = value_of(x, LLVMGetOperand(c, 1));
        a = value_of(x, LLVMGetOperand(c, 0));
        return val_binary(x, op == LLVMAdd ? TERM_ADD : TERM_SUB, &a, &b);
    }
    default:
        return val_unknown(x, LLVMTypeOf(c));
    }
}

static struct val aggregate(struct exec *x, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(c);
    struct val v = val_unknown(x, type);
    for (uint32_t i = 0; i < v.part_count; i++) {
        LLVMValueRef part = LLVMGetAggregateElement(c, i);
        if (part)
            v.parts[i] = constant_value(x, part);
    }
    return v;
}

struct val constant_value(struct exec *x, LLVMValueRef c)
{
    unsigned width = type_width(x, LLVMTypeOf(c));
    if (LLVMIsAGlobalAlias(c))
        return constant_value(x, LLVMAliasGetAliasee(c));
    if (LLVMIsAFunction(c) || LLVMIsAGlobalVariable(c))
        return val_number(64, global_address(x, c));
    if (LLVMIsUndef(c) || LLVMIsPoison(c))
        return val_unknown(x, LLVMTypeOf(c));
    if (width && LLVMIsNull(c))
        return val_number(width, 0);
    if (width && LLVMIsAConstantInt(c))
        return integer(x, c, width);
    if (width && LLVMIsAConstantFP(c))
        return floating(c, width);
    if (LLVMIsAConstantExpr(c))
        return LLVMGetConstOpcode(c) == LLVMGetElementPtr ? element_address(x, c)
                                                          : expression(x, c);
    return width ? val_unknown(x, LLVMTypeOf(c)) : aggregate(x, c);
}

/* ---- contents ---------------------------------------------------------------------------- */

struct byte constant_byte(struct exec *x, LLVMValueRef global, uint64_t offset)
{
    struct byte none = {.term = NONE};
    if (!LLVMIsAGlobalVariable(global))
        return none;
    LLVMValueRef c = LLVMGetInitializer(global);
    if (!c)
        return none;
    for (LLVMTypeRef type = LLVMTypeOf(c); !type_width(x, type); type = LLVMTypeOf(c)) {
        uint32_t i = 0, count = type_parts(type);
        if (LLVMIsNull(c))
            return (struct byte){.term = NONE, .is_known = true};
        while (i + 1 < count && type_part_offset(x, type, i + 1) <= offset)
            i++;
        LLVMValueRef part = count ? LLVMGetAggregateElement(c, i) : NULL;
        if (!part)
            return none;
        offset -= type_part_offset(x, type, i);
        c = part;
    }
    struct val v = constant_value(x, c);
    if (!v.is_known || 8 * offset >= v.width)
        return none;
    return (struct byte){
        .term = NONE, .value = (uint8_t)(v.bits >> (8 * offset)), .is_known = true};
}
