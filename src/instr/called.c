/* SPDX-License-Identifier: Apache-2.0
 *
 * called: functions of the C library whose accesses the runtime tells (CALLED in libc.def): it
 * gets the row and the arguments, before the call and behind it. What can be known here is not
 * left to it: constants that a function reads, and formats that touch no memory. */
#include "instr/insert.h"

#include "heddle/abi.h"

#include <stddef.h>
#include <string.h>

enum {
    HEAD_WORDS = offsetof(struct __heddle_args, at) / 8,
    ARGS_MAX = 63, /* that have a bit */
};

static const struct {
    const char *name, *accesses;
} rows[] = {
#define LIBC(name, accesses)
#define CALLED(name, accesses) {name, accesses},
#define NOTHING(name) {name, ""},
#include "instr/libc.def"
#undef LIBC
#undef CALLED
#undef NOTHING
};

static const char *row_of(LLVMValueRef callee)
{
    static struct map index;
    size_t len;
    bool is_made = index.len > 0;
    for (uint32_t i = 0; !is_made && i < sizeof rows / sizeof rows[0]; i++)
        *map_at(&index, hash_bytes(rows[i].name, strlen(rows[i].name))) = i;
    if (!LLVMIsDeclaration(callee) && LLVMGetLinkage(callee) != LLVMAvailableExternallyLinkage)
        return NULL;
    const char *name = LLVMGetValueName2(callee, &len);
    uint32_t i = map_find(&index, hash_bytes(name, len));
    return i != NONE && strcmp(rows[i].name, name) == 0 ? rows[i].accesses : NULL;
}

bool called_is_known(LLVMValueRef callee)
{
    return row_of(callee) != NULL;
}

/* ---- what the arguments are ------------------------------------------------------------- */

static bool is_pointer(const struct pass *p, LLVMValueRef call, unsigned arg)
{
    return arg < LLVMGetNumArgOperands(call) &&
           LLVMTypeOf(LLVMGetOperand(call, arg)) == p->t_ptr;
}

static bool is_constant(LLVMValueRef value)
{
    LLVMValueRef base = pointer_base(value);
    return base && LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base);
}

/* NULL: it is not known here. */
static const char *constant_text(LLVMValueRef value)
{
    size_t len;
    LLVMValueRef text = LLVMIsAGlobalVariable(value) && LLVMIsGlobalConstant(value)
                            ? LLVMGetInitializer(value)
                            : NULL;
    return text && LLVMIsConstantString(text) ? LLVMGetAsString(text, &len) : NULL;
}

/* Does printing by this format touch memory by one of these conversions? */
static bool prints_by(const char *format, const char *conversions)
{
    for (const char *at = format; at && (at = strchr(at, '%'));) {
        at++;
        at += strspn(at, "-+ #0'I123456789.*$hlLqjztZ");
        if (*at && strchr(conversions, *at))
            return true;
        at += *at != 0;
    }
    return false;
}

/* ---- the row, for one call -------------------------------------------------------------- */

static bool is_format(char how)
{
    return strchr("PVSTpvst", how) != NULL;
}

/* The argument that an access is at; NONE: it is at no argument. */
static unsigned arg_of(const char *access)
{
    if (strchr("rwaW", access[0]) || is_format(access[0]))
        return access[1] >= '0' && access[1] <= '9' ? (unsigned)(access[1] - '0') : NONE;
    if (access[0] == '*' && access[2] >= '0' && access[2] <= '9')
        return (unsigned)(access[2] - '0');
    return NONE;
}

/* Arguments of an extent that are texts, wide or not. */
static bool fits_extent(const struct pass *p, LLVMValueRef call, const char *access)
{
    size_t len = strcspn(access, " ");
    const char *extent = access + 2;
    extent += len > 2 && *extent == '+' ? 1 + strspn(extent + 1, "0123456789") : 0;
    unsigned texts = len < 3                   ? 0
                     : strchr("zZmM", *extent) ? 1
                     : strchr("sScC", *extent) ? 2
                                               : 0;
    for (unsigned i = 0; i < texts && extent[1 + i] >= '0' && extent[1 + i] <= '9'; i++)
        if (!is_pointer(p, call, (unsigned)(extent[1 + i] - '0')))
            return false;
    return true;
}

/* Declared otherwise than in libc it is something else. */
static bool fits(const struct pass *p, LLVMValueRef call, const char *row)
{
    for (const char *at = row; *at; at += strspn(at, " ")) {
        unsigned arg = arg_of(at);
        if (arg != NONE && !is_pointer(p, call, arg))
            return false;
        if (strchr("rwa", *at) && !fits_extent(p, call, at))
            return false;
        at += strcspn(at, " ");
    }
    return true;
}

static bool is_needed(struct pass *p, LLVMValueRef call, const char *access)
{
    unsigned arg = arg_of(access);
    if (arg != NONE && LLVMIsAConstantPointerNull(LLVMGetOperand(call, arg)))
        return false;
    const char *format = arg == NONE ? NULL : constant_text(LLVMGetOperand(call, arg));
    if (access[0] == 'r' || access[0] == 'w' || access[0] == 'a')
        return arg == NONE || !memory_is_private(p, LLVMGetOperand(call, arg));
    if (access[0] == 'P' || access[0] == 'V')
        return !format || prints_by(format, "sSn");
    return access[0] != 'W';
}

const char *called_find(struct pass *p, LLVMValueRef call)
{
    const char *row = LLVMIsACallBrInst(call) ? NULL : row_of(called_function(call));
    AUTO(str) struct str left = {0};
    if (!row || LLVMGetNumArgOperands(call) > ARGS_MAX || !fits(p, call, row))
        return NULL;
    for (const char *at = row; *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        if (is_needed(p, call, at))
            str_add(&left, "%s%.*s", left.len ? " " : "", (int)len, at);
        at += len;
    }
    return left.len ? arena_text(&p->mem, left.at, left.len) : NULL;
}

/* ---- its name --------------------------------------------------------------------------- */

struct about {
    LLVMValueRef one; /* the only argument so far; NULL: none */
    bool is_many;
};

static void add_about(struct pass *p, struct about *a, LLVMValueRef value)
{
    if (LLVMTypeOf(value) != p->t_ptr || LLVMIsAConstantPointerNull(value) ||
        memory_is_private(p, value))
        return;
    a->is_many |= a->one && a->one != value;
    a->one = value;
}

const char *called_name(struct pass *p, LLVMValueRef call)
{
    struct about a = {0};
    for (const char *at = row_of(called_function(call)); *at; at += strspn(at, " ")) {
        unsigned arg = arg_of(at), count = LLVMGetNumArgOperands(call);
        bool is_list = strchr("VTvt", *at) != NULL;
        a.is_many |= arg == NONE || is_list;
        for (unsigned i = arg; arg != NONE && i < count && !is_list; i++) {
            add_about(p, &a, LLVMGetOperand(call, i));
            if (!is_format(*at))
                break;
        }
        at += strcspn(at, " ");
    }
    return a.one && !a.is_many ? naming_place(p, a.one, 0) : "";
}

/* ---- calls of the runtime --------------------------------------------------------------- */

/* Is there anything to tell behind the call? */
static bool has_end(LLVMValueRef call, const char *told)
{
    for (const char *at = told; *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        const char *format =
            is_format(*at) ? constant_text(LLVMGetOperand(call, arg_of(at))) : NULL;
        if (strchr("hH", *at))
            ; /* told before */
        else if (*at == 'P' || *at == 'V') {
            if (!format || prints_by(format, "n"))
                return true;
        } else if (*at != 'r' || (len > 2 && strchr("bouUlLO", at[2]))) {
            return true;
        }
        at += len;
    }
    return false;
}

/* Room for the arguments of one call at a time, as many as any in the function has. */
static LLVMValueRef slots_of(struct insert *in, const struct func *func)
{
    struct pass *p = in->p;
    unsigned max = 0;
    if (in->slots)
        return in->slots;
    for (uint32_t i = func->first; i < func->end; i++) {
        const struct op *op = &p->ops.at[i];
        unsigned count = op->told ? LLVMGetNumArgOperands(op->inst) : 0;
        max = count > max ? count : max;
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(p->ctx);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(func->fn)));
    in->slots = LLVMBuildAlloca(b, LLVMArrayType2(p->t_i64, HEAD_WORDS + max), "");
    LLVMDisposeBuilder(b);
    return in->slots;
}

static LLVMValueRef word_of(struct insert *in, LLVMValueRef value)
{
    struct pass *p = in->p;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    if (kind == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(in->b, value, p->t_i64, "");
    if (kind != LLVMIntegerTypeKind)
        return u64(in, 0);
    return LLVMBuildIntCast2(in->b, value, p->t_i64, true, "");
}

static void put_word(struct insert *in, unsigned at, LLVMValueRef word)
{
    LLVMValueRef index = u64(in, at);
    LLVMBuildStore(in->b, word, LLVMBuildGEP2(in->b, in->p->t_i64, in->slots, &index, 1, ""));
}

static LLVMValueRef row_global(struct pass *p, const char *told)
{
    AUTO(str) struct str name = {0};
    str_add(&name, "__heddle_row %s", told);
    LLVMValueRef text = LLVMConstStringInContext2(p->ctx, told, strlen(told), false);
    LLVMValueRef g = LLVMGetNamedGlobal(p->mod, name.at);
    if (g)
        return g;
    g = LLVMAddGlobal(p->mod, LLVMTypeOf(text), name.at);
    LLVMSetInitializer(g, text);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

void insert_called(struct insert *in, const struct func *func, const struct op *op,
                   LLVMValueRef site)
{
    struct pass *p = in->p;
    LLVMValueRef row = row_global(p, op->told), slots = slots_of(in, func);
    unsigned count = LLVMGetNumArgOperands(op->inst);
    uint64_t constants = 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetOperand(op->inst, i);
        constants |= (uint64_t)is_constant(value) << i;
        put_word(in, HEAD_WORDS + i, word_of(in, value));
    }
    put_word(in, offsetof(struct __heddle_args, count) / 8, u64(in, count));
    put_word(in, offsetof(struct __heddle_args, constants) / 8, u64(in, constants));
    CALL(in, HOOK_LIBC_BEGIN, row, slots, site);
    LLVMValueRef behind = behind_call(op->inst);
    if (!behind || !has_end(op->inst, op->told))
        return;
    place_before(in, behind, op->inst);
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(op->inst)) == LLVMVoidTypeKind;
    CALL(in, HOOK_LIBC_END, row, slots, is_void ? u64(in, 0) : word_of(in, op->inst), site);
    place_before(in, op->inst, op->inst);
}
