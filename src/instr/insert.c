/* SPDX-License-Identifier: Apache-2.0
 *
 * insert: turns operations into calls of hooks. Hooks stand before the instruction they speak
 * of; what an atomic operation or a range write did is told behind it. */
#include "instr/insert.h"

#include "heddle/abi.h"

static const struct {
    const char *symbol;
    char result;
    const char *args;
} hook_rows[] = {
#define HOOK(name, symbol, result, args) {symbol, result, args},
#include "instr/hooks.def"
#undef HOOK
};

/* ---- calls ------------------------------------------------------------------------------ */

static LLVMTypeRef type_of_letter(const struct pass *p, char letter)
{
    switch (letter) {
    case 'p':
        return p->t_ptr;
    case 'd':
        return p->t_i32;
    case 'q':
        return p->t_i64;
    default:
        return p->t_void;
    }
}

static LLVMValueRef declare(struct pass *p, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMGetNamedFunction(p->mod, name);
    if (fn)
        return fn;
    fn = LLVMAddFunction(p->mod, name, type);
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(p->ctx, kind, 0));
    return fn;
}

LLVMValueRef hook_call(struct insert *in, enum hook hook, LLVMValueRef *args)
{
    struct pass *p = in->p;
    const char *letters = hook_rows[hook].args;
    unsigned count = (unsigned)strlen(letters);
    if (!in->hooks[hook]) {
        LLVMTypeRef params[8];
        for (unsigned i = 0; i < count; i++)
            params[i] = type_of_letter(p, letters[i]);
        in->types[hook] =
            LLVMFunctionType(type_of_letter(p, hook_rows[hook].result), params, count, false);
        in->hooks[hook] = declare(p, hook_rows[hook].symbol, in->types[hook]);
    }
    return LLVMBuildCall2(in->b, in->types[hook], in->hooks[hook], args, count, "");
}

void place_before(struct insert *in, LLVMValueRef inst, LLVMValueRef position)
{
    LLVMPositionBuilderBefore(in->b, inst);
    LLVMSetCurrentDebugLocation2(in->b, LLVMInstructionGetDebugLoc(position));
}

/* ---- values ----------------------------------------------------------------------------- */

/* As the runtime does it (__heddle_hash). */
static LLVMValueRef mix_wide(struct insert *in, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef low = LLVMBuildTrunc(in->b, value, in->p->t_i64, "");
    LLVMValueRef high = LLVMBuildLShr(in->b, value, LLVMConstInt(type, 64, false), "");
    high = LLVMBuildTrunc(in->b, high, in->p->t_i64, "");
    return LLVMBuildAdd(in->b, low, LLVMBuildMul(in->b, high, u64(in, HEDDLE_HASH_STEP), ""),
                        "");
}

LLVMValueRef bits_of(struct insert *in, LLVMValueRef value)
{
    struct pass *p = in->p;
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned long long bits = LLVMSizeOfTypeInBits(p->layout, type);
    LLVMTypeRef wide = LLVMIntTypeInContext(p->ctx, (unsigned)bits);
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return LLVMBuildPtrToInt(in->b, value, p->t_i64, "");
    case LLVMIntegerTypeKind:
        break;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
        value = LLVMBuildBitCast(in->b, value, wide, "");
        break;
    case LLVMVectorTypeKind:
        if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
            return NULL;
        value = LLVMBuildBitCast(in->b, value, wide, "");
        break;
    default:
        return NULL;
    }
    if (bits > 128)
        return LLVMBuildTrunc(in->b, value, p->t_i64, "");
    if (bits > 64)
        return mix_wide(in, value);
    return bits < 64 ? LLVMBuildZExt(in->b, value, p->t_i64, "") : value;
}

/* Orders of C11 from LLVM's. */
static LLVMValueRef order_of(const struct insert *in, LLVMAtomicOrdering order)
{
    switch (order) {
    case LLVMAtomicOrderingAcquire:
        return u32(in, 2);
    case LLVMAtomicOrderingRelease:
        return u32(in, 3);
    case LLVMAtomicOrderingAcquireRelease:
        return u32(in, 4);
    case LLVMAtomicOrderingSequentiallyConsistent:
        return u32(in, 5);
    default:
        return u32(in, 0);
    }
}

LLVMValueRef behind_call(LLVMValueRef call)
{
    if (LLVMIsACallInst(call))
        return LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail
                   ? NULL
                   : LLVMGetNextInstruction(call);
    if (!LLVMIsAInvokeInst(call))
        return NULL;
    LLVMBasicBlockRef block = LLVMGetNormalDest(call);
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    return use && !LLVMGetNextUse(use) && !LLVMIsAPHINode(first) ? first : NULL;
}

static void insert_result(struct insert *in, const struct op *op, LLVMValueRef site)
{
    struct pass *p = in->p;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(op->inst));
    bool is_scalar = kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind ||
                     kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    LLVMValueRef behind = behind_call(op->inst);
    if (!behind)
        return;
    place_before(in, behind, op->inst);
    if (is_scalar && LLVMSizeOfTypeInBits(p->layout, LLVMTypeOf(op->inst)) <= 64)
        insert_value(in, bits_of(in, op->inst), site);
    else
        insert_value(in, u64(in, 0), site); /* that it came back */
}

/* What the outside gives to main has no other event. */
static void insert_main(struct insert *in, const struct func *func, LLVMValueRef site)
{
    size_t len;
    const char *name = LLVMGetValueName2(func->fn, &len);
    if (strcmp(name, "main") != 0 || LLVMCountParams(func->fn) == 0)
        return;
    LLVMValueRef count = LLVMGetParam(func->fn, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(count)) != LLVMIntegerTypeKind)
        return;
    LLVMValueRef start = LLVMGetNextInstruction(in->depth);
    place_before(in, start, start);
    insert_value(in, bits_of(in, count), site);
}

/* ---- plain accesses --------------------------------------------------------------------- */

int size_class(uint64_t bytes)
{
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : -1;
}

bool is_scalar(struct pass *p, const struct op *op)
{
    if (op->kind != OP_READ && op->kind != OP_WRITE)
        return false;
    LLVMTypeRef type = access_type(op->inst);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return size_class(store_bytes(p, type)) >= 0 &&
           (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind ||
            kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind);
}

static void insert_read(struct insert *in, const struct op *op, LLVMValueRef site)
{
    uint64_t bytes = store_bytes(in->p, access_type(op->inst));
    LLVMValueRef address = access_address(op->inst);
    int size = size_class(bytes);
    if (size >= 0)
        insert_access(in, op, (unsigned)size, NULL, site);
    else
        CALL(in, HOOK_READ_RANGE, address, u64(in, bytes), site);
}

static void insert_write(struct insert *in, const struct op *op, LLVMValueRef site)
{
    uint64_t bytes = store_bytes(in->p, access_type(op->inst));
    LLVMValueRef address = access_address(op->inst);
    int size = size_class(bytes);
    LLVMValueRef value = size >= 0 ? bits_of(in, LLVMGetOperand(op->inst, 0)) : NULL;
    if (value) {
        if (op->is_table)
            CALL(in, HOOK_TABLE, address, value, site);
        else
            insert_access(in, op, (unsigned)size, value, site);
        return;
    }
    CALL(in, HOOK_WRITE_BEGIN, address, u64(in, bytes), site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    CALL(in, HOOK_WRITE_RANGE, address, u64(in, bytes), site);
}

/* Structures passed by value are read where they lie. */
static void insert_arguments(struct insert *in, const struct op *op, LLVMValueRef site)
{
    unsigned count = LLVMGetNumArgOperands(op->inst);
    for (unsigned i = 0; i < count; i++) {
        uint64_t bytes = copied_bytes(in->p, op->inst, i);
        if (bytes)
            CALL(in, HOOK_READ_RANGE, LLVMGetOperand(op->inst, i), u64(in, bytes), site);
    }
}

static void insert_copy(struct insert *in, const struct op *op, LLVMValueRef site)
{
    LLVMValueRef to = LLVMGetOperand(op->inst, 0);
    LLVMValueRef len =
        LLVMBuildZExtOrBitCast(in->b, LLVMGetOperand(op->inst, 2), in->p->t_i64, "");
    if (!op->skip_read)
        CALL(in, HOOK_READ_RANGE, LLVMGetOperand(op->inst, 1), len, site);
    if (op->skip_write)
        return;
    CALL(in, HOOK_WRITE_BEGIN, to, len, site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    CALL(in, HOOK_WRITE_RANGE, to, len, site);
}

/* ---- C library functions ---------------------------------------------------------------- */

/* How many bytes strncmp reads. Everything else is in the C library. */
static const char same_text[] =
    "define internal i64 @__heddle_same(ptr %a, ptr %b, i64 %max) nounwind {\n"
    "entry:\n"
    "  br label %loop\n"
    "loop:\n"
    "  %i = phi i64 [ 0, %entry ], [ %next, %more ]\n"
    "  %full = icmp uge i64 %i, %max\n"
    "  br i1 %full, label %end, label %look\n"
    "look:\n"
    "  %next = add i64 %i, 1\n"
    "  %pa = getelementptr i8, ptr %a, i64 %i\n"
    "  %pb = getelementptr i8, ptr %b, i64 %i\n"
    "  %ca = load i8, ptr %pa\n"
    "  %cb = load i8, ptr %pb\n"
    "  %differ = icmp ne i8 %ca, %cb\n"
    "  %zero = icmp eq i8 %ca, 0\n"
    "  %stop = or i1 %differ, %zero\n"
    "  br i1 %stop, label %end, label %more\n"
    "more:\n"
    "  br label %loop\n"
    "end:\n"
    "  %read = phi i64 [ %i, %loop ], [ %next, %look ]\n"
    "  ret i64 %read\n"
    "}\n";

static LLVMValueRef call_same(struct insert *in, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef max)
{
    struct pass *p = in->p;
    LLVMTypeRef type =
        LLVMFunctionType(p->t_i64, (LLVMTypeRef[]){p->t_ptr, p->t_ptr, p->t_i64}, 3, false);
    return LLVMBuildCall2(in->b, type, text_function(p, "__heddle_same", same_text),
                          (LLVMValueRef[]){a, b, max}, 3, "");
}

static LLVMValueRef call_strlen(struct insert *in, LLVMValueRef text)
{
    LLVMTypeRef type = LLVMFunctionType(in->p->t_i64, &in->p->t_ptr, 1, false);
    return LLVMBuildCall2(in->b, type, declare(in->p, "strlen", type), &text, 1, "");
}

static LLVMValueRef call_strnlen(struct insert *in, LLVMValueRef text, LLVMValueRef max)
{
    struct pass *p = in->p;
    LLVMTypeRef type =
        LLVMFunctionType(p->t_i64, (LLVMTypeRef[]){p->t_ptr, p->t_i64}, 2, false);
    return LLVMBuildCall2(in->b, type, declare(p, "strnlen", type), (LLVMValueRef[]){text, max},
                          2, "");
}

static LLVMValueRef plus_one(struct insert *in, LLVMValueRef value)
{
    return LLVMBuildAdd(in->b, value, u64(in, 1), "");
}

static LLVMValueRef least(struct insert *in, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(in->b, LLVMBuildICmp(in->b, LLVMIntULT, a, b, ""), a, b, "");
}

/* The function only looks: it is asked beforehand what it will find. */
static LLVMValueRef found_bytes(struct insert *in, LLVMValueRef inst,
                                const struct library_access *a)
{
    LLVMValueRef start = LLVMGetOperand(inst, a->arg), args[4];
    unsigned count = LLVMGetNumArgOperands(inst);
    CHECK(count <= 4);
    for (unsigned i = 0; i < count; i++)
        args[i] = LLVMGetOperand(inst, i);
    LLVMValueRef hit = LLVMBuildCall2(in->b, LLVMGetCalledFunctionType(inst),
                                      LLVMGetCalledValue(inst), args, count, "");
    LLVMValueRef all =
        a->count ? args[a->extent_args[0]] : plus_one(in, call_strlen(in, start));
    LLVMValueRef some =
        plus_one(in, LLVMBuildSub(in->b, LLVMBuildPtrToInt(in->b, hit, in->p->t_i64, ""),
                                  LLVMBuildPtrToInt(in->b, start, in->p->t_i64, ""), ""));
    return LLVMBuildSelect(in->b, LLVMBuildIsNull(in->b, hit, ""), all, some, "");
}

static LLVMValueRef extent_of(struct insert *in, LLVMValueRef inst,
                              const struct library_access *a)
{
    LLVMValueRef arg[3] = {0};
    for (unsigned i = 0; i < a->count; i++)
        arg[i] = LLVMGetOperand(inst, a->extent_args[i]);
    switch (a->extent) {
    case 'k':
        return u64(in, a->bytes);
    case 'n':
        return arg[0];
    case 'z':
        return plus_one(in, call_strlen(in, arg[0]));
    case 'm':
        return least(in, plus_one(in, call_strnlen(in, arg[0], arg[1])), arg[1]);
    case 'p':
        return plus_one(in, call_strnlen(in, arg[0], arg[1]));
    case 's':
        return call_same(in, arg[0], arg[1], a->count > 2 ? arg[2] : u64(in, UINT64_MAX));
    default:
        return found_bytes(in, inst, a);
    }
}

/* Declared with other types than the C library's? Then it is something else. */
static bool fits(const struct pass *p, LLVMValueRef inst, const struct library_row *row)
{
    unsigned count = LLVMGetNumArgOperands(inst);
    for (unsigned i = 0; i < row->count; i++) {
        const struct library_access *a = &row->at[i];
        if (a->arg >= count || LLVMTypeOf(LLVMGetOperand(inst, a->arg)) != p->t_ptr)
            return false;
        for (unsigned k = 0; k < a->count; k++) {
            bool is_text = strchr("zsmp", a->extent) && k < (a->extent == 's' ? 2U : 1U);
            if (a->extent_args[k] >= count ||
                LLVMTypeOf(LLVMGetOperand(inst, a->extent_args[k])) !=
                    (is_text ? p->t_ptr : p->t_i64))
                return false;
        }
    }
    return true;
}

/* One access of a call: where, and how many bytes. */
struct announced {
    char how;
    LLVMValueRef address, bytes;
};

/* The place in the buffer of a C++ stream; nobody's if it is no buffer that we know. */
static struct announced stream_place(struct insert *in, const struct op *op,
                                     const struct library_access *a)
{
    LLVMValueRef stream = LLVMGetOperand(op->inst, a->arg);
    LLVMValueRef at = CALL(in, HOOK_STREAM, stream, u32(in, a->how == 'i'));
    LLVMValueRef none = LLVMBuildIsNull(in->b, at, "");
    return (struct announced){'w', at,
                              LLVMBuildSelect(in->b, none, u64(in, 0), u64(in, 8), "")};
}

static struct announced place_of(struct insert *in, const struct op *op,
                                 const struct library_access *a)
{
    if (a->how == 'o' || a->how == 'i')
        return stream_place(in, op, a);
    LLVMValueRef address = LLVMGetOperand(op->inst, a->arg), offset = u64(in, a->offset);
    LLVMValueRef bytes = extent_of(in, op->inst, a);
    if (a->how == 'a')
        offset = call_strlen(in, address);
    if (a->how == 'a' || a->offset)
        address = LLVMBuildGEP2(in->b, in->p->t_i8, address, &offset, 1, "");
    return (struct announced){a->how, address, bytes};
}

/* Behind the call. A thread can stand before each of several writes. */
static void insert_written(struct insert *in, const struct announced *x, bool is_another,
                           LLVMValueRef site)
{
    if (x->how == 'd') {
        CALL(in, HOOK_COMPARE, x->address, x->bytes, site);
        return;
    }
    if (is_another)
        CALL(in, HOOK_WRITE_BEGIN, x->address, x->bytes, site);
    CALL(in, HOOK_WRITE_RANGE, x->address, x->bytes, site);
}

static void insert_library(struct insert *in, const struct op *op, LLVMValueRef site)
{
    const struct library_row *row = op->row;
    struct announced writes[LIBRARY_ACCESS_MAX];
    unsigned count = 0;
    LLVMValueRef behind = behind_call(op->inst);
    if (!fits(in->p, op->inst, row))
        return;
    bool by_content = false;
    for (unsigned i = 0; i < row->count; i++) {
        const struct library_access *a = &row->at[i];
        if (memory_is_private(in->p, LLVMGetOperand(op->inst, a->arg)))
            continue;
        struct announced x = place_of(in, op, a);
        if (x.how == 'r') {
            CALL(in, HOOK_READ_RANGE, x.address, x.bytes, site);
            by_content |= a->extent != 'n' && a->extent != 'k';
        } else if (behind) {
            if (x.how == 'd')
                CALL(in, HOOK_COMPARE_BEGIN, x.address, x.bytes, site);
            else if (count == 0)
                CALL(in, HOOK_WRITE_BEGIN, x.address, x.bytes, site);
            writes[count++] = x;
        }
    }
    /* How far a text reaches depends on what was read in it. */
    if (by_content)
        insert_branch(in, WHY_ADDRESS, site);
    if (count == 0)
        return;
    place_before(in, behind, op->inst);
    for (unsigned i = 0; i < count; i++)
        insert_written(in, &writes[i], i > 0, site);
    place_before(in, op->inst, op->inst);
}

/* ---- atomics ---------------------------------------------------------------------------- */

LLVMValueRef atomic_how(struct insert *in, uint64_t bytes, unsigned kind, LLVMValueRef order,
                        LLVMValueRef failed)
{
    uint64_t size = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? bytes : 0;
    LLVMValueRef how = u32(in, size | kind << HEDDLE_ATOMIC_KIND_SHIFT);
    order = LLVMBuildShl(in->b, order, u32(in, HEDDLE_ATOMIC_ORDER_SHIFT), "");
    failed = LLVMBuildShl(in->b, failed, u32(in, HEDDLE_ATOMIC_FAILED_SHIFT), "");
    return LLVMBuildOr(in->b, how, LLVMBuildOr(in->b, order, failed, ""), "");
}

/* The type is that of what it accesses. */
static void insert_point(struct insert *in, const struct op *op, unsigned kind,
                         LLVMAtomicOrdering order, LLVMValueRef site)
{
    uint64_t bytes = store_bytes(in->p, access_type(op->inst));
    LLVMValueRef o = order_of(in, order);
    CALL(in, HOOK_ATOMIC_POINT, access_address(op->inst), atomic_how(in, bytes, kind, o, o),
         u64(in, 0), site);
}

static void insert_atomic_load(struct insert *in, const struct op *op, LLVMValueRef site)
{
    LLVMValueRef address = access_address(op->inst);
    insert_point(in, op, HEDDLE_ATOMIC_LOAD, LLVMGetOrdering(op->inst), site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    LLVMValueRef value = bits_of(in, op->inst);
    CALL(in, HOOK_ATOMIC_LOAD, address, u32(in, store_bytes(in->p, access_type(op->inst))),
         value ? value : u64(in, 0), order_of(in, LLVMGetOrdering(op->inst)), site);
}

static void insert_atomic_store(struct insert *in, const struct op *op, LLVMValueRef site)
{
    LLVMValueRef address = access_address(op->inst);
    insert_point(in, op, HEDDLE_ATOMIC_STORE, LLVMGetOrdering(op->inst), site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    LLVMValueRef value = bits_of(in, LLVMGetOperand(op->inst, 0));
    CALL(in, HOOK_ATOMIC_STORE, address, u32(in, store_bytes(in->p, access_type(op->inst))),
         value ? value : u64(in, 0), order_of(in, LLVMGetOrdering(op->inst)), site);
}

/* What the memory holds now is what was stored: nobody else runs in between. */
static void insert_rmw(struct insert *in, const struct op *op, LLVMValueRef site)
{
    LLVMValueRef address = access_address(op->inst);
    LLVMTypeRef type = access_type(op->inst);
    insert_point(in, op, HEDDLE_ATOMIC_RMW, LLVMGetOrdering(op->inst), site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    LLVMValueRef after = LLVMBuildLoad2(in->b, type, address, "");
    CALL(in, HOOK_RMW, address, u32(in, store_bytes(in->p, type)), bits_of(in, op->inst),
         bits_of(in, after), order_of(in, LLVMGetOrdering(op->inst)), site);
}

static void insert_cas(struct insert *in, const struct op *op, LLVMValueRef site)
{
    LLVMValueRef address = access_address(op->inst);
    LLVMTypeRef type = access_type(op->inst);
    LLVMValueRef order = order_of(in, LLVMGetCmpXchgSuccessOrdering(op->inst));
    LLVMValueRef failed = order_of(in, LLVMGetCmpXchgFailureOrdering(op->inst));
    uint64_t bytes = store_bytes(in->p, type);
    CALL(in, HOOK_ATOMIC_POINT, address,
         atomic_how(in, bytes, HEDDLE_ATOMIC_CAS, order, failed),
         LLVMBuildIntCast2(in->b, bits_of(in, LLVMGetOperand(op->inst, 1)), in->p->t_i64, false,
                           ""),
         site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    LLVMValueRef seen = bits_of(in, LLVMBuildExtractValue(in->b, op->inst, 0, ""));
    LLVMValueRef stored = LLVMBuildExtractValue(in->b, op->inst, 1, "");
    order = LLVMBuildSelect(in->b, stored, order, failed, "");
    CALL(in, HOOK_CAS, address, u32(in, store_bytes(in->p, type)), seen,
         bits_of(in, LLVMGetOperand(op->inst, 2)),
         LLVMBuildZExt(in->b, stored, in->p->t_i32, ""), order, site);
}

/* ---- the stack -------------------------------------------------------------------------- */

static LLVMValueRef behind_allocas(LLVMValueRef fn)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static LLVMValueRef alloca_bytes(struct insert *in, LLVMValueRef alloca)
{
    uint64_t each = LLVMABISizeOfType(in->p->layout, LLVMGetAllocatedType(alloca));
    LLVMValueRef count = LLVMGetOperand(alloca, 0);
    count = LLVMBuildIntCast2(in->b, count, in->p->t_i64, false, "");
    return LLVMBuildMul(in->b, count, u64(in, each), "");
}

/* Its life is marked: every time the mark is passed it is a new object. */
static bool insert_lifetime(struct insert *in, LLVMValueRef alloca, LLVMValueRef site)
{
    VEC(LLVMValueRef) marks = {0};
    for (LLVMUseRef u = LLVMGetFirstUse(alloca); u; u = LLVMGetNextUse(u))
        if (LLVMIsACallInst(LLVMGetUser(u)) && is_intrinsic(LLVMGetUser(u), "llvm.lifetime."))
            vec_push(&marks, LLVMGetUser(u));
    for (uint32_t i = 0; i < marks.len; i++) {
        LLVMValueRef mark = marks.at[i];
        if (is_intrinsic(mark, "llvm.lifetime.start")) {
            place_before(in, LLVMGetNextInstruction(mark), mark);
            CALL(in, HOOK_STACK_ENTER, alloca, alloca_bytes(in, alloca), site);
        } else {
            place_before(in, mark, mark);
            CALL(in, HOOK_STACK_LEAVE, alloca, alloca_bytes(in, alloca), site);
        }
    }
    bool found = marks.len > 0;
    vec_done(&marks);
    return found;
}

/* The last place in a block where its frame is still there; NULL if it is not left there. */
static LLVMValueRef way_out(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMGetInstructionOpcode(end) == LLVMResume)
        return end;
    if (LLVMGetInstructionOpcode(end) != LLVMRet)
        return NULL;
    LLVMValueRef before = LLVMGetPreviousInstruction(end);
    if (before && LLVMIsABitCastInst(before))
        before = LLVMGetPreviousInstruction(before);
    if (before && LLVMIsACallInst(before) &&
        LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail)
        return before;
    return end;
}

static void leave_dynamic(struct insert *in, LLVMValueRef before, LLVMValueRef place,
                          LLVMValueRef site)
{
    place_before(in, before, before);
    CALL(in, HOOK_STACK_LEAVE, LLVMBuildLoad2(in->b, in->p->t_ptr, place, ""), u64(in, 1),
         site);
    LLVMBuildStore(in->b, LLVMConstNull(in->p->t_ptr), place);
}

/* Whether it was made, and where, is kept in a variable: it lives until its frame is left or
 * the stack is taken back (arrays of variable length). Of several from one place, as alloca in
 * a loop makes them, the last one is told to end. Its length is nowhere kept: its first byte
 * stands for it. */
static void insert_dynamic(struct insert *in, const struct func *func, LLVMValueRef alloca,
                           LLVMValueRef site)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(func->fn));
    LLVMPositionBuilderBefore(in->b, first);
    LLVMValueRef place = LLVMBuildAlloca(in->b, in->p->t_ptr, "");
    LLVMValueRef start = behind_allocas(func->fn);
    place_before(in, start, start);
    LLVMBuildStore(in->b, LLVMConstNull(in->p->t_ptr), place);
    place_before(in, LLVMGetNextInstruction(alloca), alloca);
    LLVMBuildStore(in->b, alloca, place);
    CALL(in, HOOK_STACK_ENTER, alloca, alloca_bytes(in, alloca), site);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(func->fn); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef out = way_out(b);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && is_intrinsic(i, "llvm.stackrestore"))
                leave_dynamic(in, i, place, site);
        if (out)
            leave_dynamic(in, out, place, site);
    }
}

/* Part of the frame from the function's first instruction on. An array of variable length whose
 * length the compiler knows is of constant size too, but comes where it is declared. */
static bool is_static(LLVMValueRef fn, LLVMValueRef alloca)
{
    if (LLVMGetInstructionParent(alloca) != LLVMGetEntryBasicBlock(fn) ||
        !LLVMIsConstant(LLVMGetOperand(alloca, 0)))
        return false;
    LLVMValueRef before = LLVMGetPreviousInstruction(alloca);
    while (before && LLVMIsAAllocaInst(before))
        before = LLVMGetPreviousInstruction(before);
    return !before;
}

static void insert_stack(struct insert *in, const struct func *func, const struct op *op,
                         LLVMValueRef site)
{
    LLVMValueRef alloca = op->inst;
    if (func->is_coroutine || insert_lifetime(in, alloca, site))
        return;
    if (!is_static(func->fn, alloca)) {
        insert_dynamic(in, func, alloca, site);
        return;
    }
    LLVMValueRef start =
        in->depth ? LLVMGetNextInstruction(in->depth) : behind_allocas(func->fn);
    place_before(in, start, start);
    CALL(in, HOOK_STACK_ENTER, alloca, alloca_bytes(in, alloca), site);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(func->fn); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef out = way_out(b);
        if (!out)
            continue;
        place_before(in, out, out);
        CALL(in, HOOK_STACK_LEAVE, alloca, alloca_bytes(in, alloca), site);
    }
}

static bool returns_twice(LLVMValueRef call)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("returns_twice", 13);
    LLVMValueRef callee = called_function(call);
    return LLVMGetCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                        kind) ||
           (callee && function_has(callee, "returns_twice"));
}

/* Where control may come back from a deeper frame. */
static void insert_resumes(struct insert *in, LLVMBasicBlockRef block)
{
    LLVMValueRef next;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsALandingPadInst(i) || (LLVMIsACallInst(i) && returns_twice(i))) {
            place_before(in, next, i);
            CALL(in, HOOK_RESUME, in->depth);
        }
    }
}

/* Last of all in its function, so that leave comes behind every stack_leave. */
static void insert_leaves(struct insert *in, const struct func *func, LLVMValueRef site)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(func->fn); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef out = way_out(b);
        if (out) {
            place_before(in, out, out);
            CALL(in, HOOK_LEAVE, in->depth, site);
        }
        insert_resumes(in, b);
    }
}

/* ---- operations ------------------------------------------------------------------------- */

static void insert_op(struct insert *in, const struct func *func, const struct op *op,
                      LLVMValueRef site)
{
    if (op->kind == OP_STACK) {
        insert_stack(in, func, op, site);
        return;
    }
    place_before(in, op->inst, op->inst);
    if (op->why != WHY_NONE && !fast_tells(in, op))
        insert_branch(in, op->why, site);
    switch (op->kind) {
    case OP_READ:
        insert_read(in, op, site);
        break;
    case OP_WRITE:
        insert_write(in, op, site);
        break;
    case OP_COPY:
    case OP_SET:
        insert_copy(in, op, site);
        break;
    case OP_LIBC:
        insert_library(in, op, site);
        break;
    case OP_ATOMIC_LOAD:
        insert_atomic_load(in, op, site);
        break;
    case OP_ATOMIC_STORE:
        insert_atomic_store(in, op, site);
        break;
    case OP_RMW:
        insert_rmw(in, op, site);
        break;
    case OP_CAS:
        insert_cas(in, op, site);
        break;
    case OP_LIBATOMIC:
        insert_libatomic(in, op, site);
        break;
    case OP_MASKED:
        insert_masked(in, op, site);
        break;
    case OP_PAUSE:
        CALL(in, HOOK_PAUSE, site);
        break;
    case OP_ASSEMBLY:
        insert_assembly(in, op, site);
        break;
    case OP_UNSEEN:
        CALL(in, HOOK_UNSEEN, site);
        break;
    case OP_FENCE:
        CALL(in, HOOK_FENCE, order_of(in, LLVMGetOrdering(op->inst)), site);
        break;
    default:
        break;
    }
    if (op->told)
        insert_called(in, func, op, site);
    if (op->has_copies)
        insert_arguments(in, op, site);
    if (op->has_here) {
        LLVMBuildStore(in->b, site, in->p->here);
        insert_result(in, op, site);
    }
}

/* What the programmer promised about memory no longer holds: hooks touch it. */
static void drop_promises(LLVMValueRef fn)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMRemoveEnumAttributeAtIndex(fn, at, kind);
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if ((LLVMIsACallInst(user) || LLVMIsAInvokeInst(user)) &&
            LLVMGetCalledValue(user) == fn)
            LLVMRemoveCallSiteEnumAttribute(user, at, kind);
    }
}

/* Before the hooks, which stand in front of what is there. */
static void clear_locals(struct insert *in, const struct func *func)
{
    LLVMValueRef start = behind_allocas(func->fn);
    LLVMValueRef local = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(func->fn));
    for (; local != start && !func->is_coroutine; local = LLVMGetNextInstruction(local))
        clear_local(in, local, start);
}

static void insert_function(struct insert *in, const struct func *func)
{
    struct pass *p = in->p;
    LLVMValueRef own_site = site_address(p, func->first);
    in->depth = in->slots = NULL;
    fast_begin(in, func);
    drop_promises(func->fn);
    clear_locals(in, func);
    if (func->has_frame) {
        LLVMValueRef start = behind_allocas(func->fn);
        place_before(in, start, start);
        in->depth = CALL(in, HOOK_ENTER, own_site);
        insert_main(in, func, own_site);
    }
    for (uint32_t i = func->first + 1, count; i < func->end; i += count) {
        count = group_length(in, i, func->end);
        if (count > 1)
            insert_group(in, i, count);
        else
            insert_op(in, func, &p->ops.at[i], site_address(p, i));
    }
    if (func->has_frame)
        insert_leaves(in, func, own_site);
}

void insert_hooks(struct pass *p)
{
    struct insert in = {.p = p, .b = LLVMCreateBuilderInContext(p->ctx)};
    for (uint32_t i = 0; i < p->funcs.len; i++)
        insert_function(&in, &p->funcs.at[i]);
    map_done(&in.looped);
    LLVMDisposeBuilder(in.b);
    text_functions_link(p);
}
