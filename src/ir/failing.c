/* SPDX-License-Identifier: Apache-2.0
 *
 * failing: where a thread would fail if it read something else. A condition is an assertion if
 * one of its sides does nothing but print and end the program. */
#include "ir/exec.h"

#include <string.h>

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* They print, and nothing depends on what. */
bool is_output_function(const char *name)
{
    static const char *const list[] = {
        "printf", "puts",   "putchar", "fprintf",      "fputs",         "fputc",  "putc",
        "perror", "fflush", "vprintf", "__printf_chk", "__fprintf_chk", "fwrite", NULL};
    return is_one_of(name, list);
}

static bool has_code(LLVMValueRef call)
{
    LLVMValueRef code = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
    return code && LLVMIsAConstantInt(code) && LLVMConstIntGetZExtValue(code) != 0;
}

/* The end of the program, as a failure. */
static enum ir_why failing_call(LLVMValueRef call, const char *name)
{
    static const char *const ends[] = {
        "abort",          "__assert_fail",  "__assert_perror_fail", "__assert", "llvm.trap",
        "llvm.ubsantrap", "llvm.debugtrap", "_ZSt9terminatev",      NULL};
    static const char *const exits[] = {"exit", "_exit", "_Exit", "quick_exit", NULL};
    if (strcmp(name, "__heddle_failed") == 0)
        return IR_ORACLE;
    return is_one_of(name, ends) || (is_one_of(name, exits) && has_code(call)) ? IR_ASSERT
                                                                               : IR_NO_REASON;
}

/* *why is set if the way ends in a failure; false: it does something else. */
static bool is_harmless(LLVMValueRef inst, enum ir_why *why)
{
    size_t len;
    if (LLVMIsAStoreInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst))
        return false;
    if (!LLVMIsACallInst(inst) && !LLVMIsAInvokeInst(inst))
        return true;
    LLVMValueRef fn = LLVMIsAFunction(LLVMGetCalledValue(inst));
    if (!fn)
        return false;
    const char *name = LLVMGetValueName2(fn, &len);
    *why = failing_call(inst, name);
    return *why != IR_NO_REASON || is_output_function(name) ||
           strncmp(name, "llvm.dbg", 8) == 0;
}

static bool is_oracle(LLVMValueRef v)
{
    size_t len;
    return LLVMIsAFunction(v) && strcmp(LLVMGetValueName2(v, &len), "__heddle_failed") == 0;
}

/* HEDDLE_EXPECT asks whether there is anybody to tell. */
static bool asks_for_oracle(LLVMValueRef branch)
{
    LLVMValueRef c = LLVMIsABranchInst(branch) ? LLVMGetCondition(branch) : NULL;
    int count = c ? LLVMGetNumOperands(c) : 0;
    for (int i = 0; i < count; i++)
        if (is_oracle(LLVMGetOperand(c, (unsigned)i)))
            return true;
    return false;
}

static bool is_calling(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && is_oracle(LLVMGetCalledValue(i)))
            return true;
    return false;
}

static enum ir_why look(LLVMBasicBlockRef block)
{
    enum { BLOCKS_MAX = 8 };
    for (unsigned i = 0; i < BLOCKS_MAX; i++) {
        enum ir_why why = IR_NO_REASON;
        LLVMValueRef inst = LLVMGetFirstInstruction(block);
        for (; inst && why == IR_NO_REASON; inst = LLVMGetNextInstruction(inst))
            if (!is_harmless(inst, &why))
                return IR_NO_REASON;
        if (why != IR_NO_REASON)
            return why;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        unsigned ways = end ? LLVMGetNumSuccessors(end) : 0;
        if (ways != 1 && !(ways == 2 && asks_for_oracle(end)))
            return IR_NO_REASON;
        block = LLVMGetSuccessor(end, ways == 2 && !is_calling(LLVMGetSuccessor(end, 0)));
    }
    return IR_NO_REASON;
}

enum ir_why failing_block(struct exec *x, LLVMBasicBlockRef block)
{
    uint32_t *slot = map_at(&x->failing, key_of(block));
    if (*slot == NONE)
        *slot = (uint32_t)look(block);
    return (enum ir_why) * slot;
}

/* Computes something from values at hand, and does nothing else. */
static bool exec_pure(struct exec *x, LLVMValueRef inst)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(inst));
    LLVMTypeKind of = LLVMGetNumOperands(inst) > 0
                          ? LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0)))
                          : LLVMVoidTypeKind;
    if (kind != LLVMIntegerTypeKind || (of != LLVMIntegerTypeKind && of != LLVMPointerTypeKind))
        return false;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMICmp:
        return exec_compare(x, inst);
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        return exec_cast(x, inst);
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return exec_binary(x, inst);
    default:
        return false;
    }
}

/* The condition at the end of a block that only computes it. */
static bool end_condition(struct exec *x, LLVMBasicBlockRef block, struct val *out)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!end || !LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != end;
         i = LLVMGetNextInstruction(i))
        if (!exec_pure(x, i))
            return false;
    *out = value_of(x, LLVMGetCondition(end));
    return out->is_known;
}

term failing_if(struct exec *x, LLVMBasicBlockRef block, unsigned conditions, enum ir_why *why)
{
    struct val c;
    enum ir_why own = failing_block(x, block);
    term fails = NONE;
    if (own != IR_NO_REASON) {
        *why = own;
        return term_bool(x->pool, true);
    }
    if (conditions == 0 || !end_condition(x, block, &c))
        return NONE;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < 2; i++) {
        term way = failing_if(x, LLVMGetSuccessor(end, i), conditions - 1, why);
        if (way == NONE)
            continue;
        term goes = i == 0 ? val_term(x, &c) : term_not(x->pool, val_term(x, &c));
        way = term_and(x->pool, goes, way);
        fails = fails == NONE ? way : term_or(x->pool, fails, way);
    }
    return fails;
}

/* ---- addresses --------------------------------------------------------------------------- */

/* Indices into arrays whose length the type tells. */
static bool check_indices(struct exec *x, LLVMValueRef inst, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = (unsigned)LLVMGetNumOperands(gep);
    bool found = false;
    for (unsigned i = 2; i < count; i++) {
        struct val index = value_of(x, LLVMGetOperand(gep, i));
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)index.bits);
            continue;
        }
        uint64_t length =
            LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : 0;
        bool is_open = index.is_known && index.term != NONE && index.bits < length;
        if (is_open && length > 1) {
            struct val wide = val_cast(x, LLVMSExt, &index, 64);
            add_check(x, IR_BOUNDS, inst,
                      term_binary(x->pool, TERM_ULE, term_const(x->pool, 64, length),
                                  val_term(x, &wide)));
            found = true;
        }
        type = LLVMGetElementType(type);
    }
    return found;
}

/* What is known to live at an address now. */
static bool object_range(struct exec *x, uint64_t addr, uint64_t *start, uint64_t *size)
{
    const struct made_up *o = object_at(x, addr);
    if (o) {
        *start = object_real(x, o->base);
        *size = o->size;
        return true;
    }
    for (uint32_t i = 0; i < x->ir->images.len; i++)
        if (image_variable(&x->ir->images.at[i], addr, start, size))
            return true;
    uint64_t now = x->at < x->stream->items.len ? x->stream->items.at[x->at].number : NO_EVENT;
    for (uint32_t i = x->streams->blocks.len; i > 0; i--) {
        const struct block *b = &x->streams->blocks.at[i - 1];
        if (b->number < now && addr - b->addr < b->len) {
            *start = b->addr;
            *size = b->len;
            return true;
        }
    }
    return false;
}

static void check_range(struct exec *x, LLVMValueRef inst, const struct val *addr,
                        uint64_t bytes)
{
    uint64_t start, size;
    if (!object_range(x, (uint64_t)addr->bits, &start, &size) || bytes > size)
        return;
    term offset = term_binary(x->pool, TERM_SUB, addr->term, term_const(x->pool, 64, start));
    add_check(x, IR_BOUNDS, inst,
              term_binary(x->pool, TERM_ULT, term_const(x->pool, 64, size - bytes), offset));
}

/* ---- pointers that are read from shared memory ------------------------------------------- */

enum { BLOCKS_MAX = 16 };

struct blocks {
    uint32_t count;
    uint64_t addr[BLOCKS_MAX], len[BLOCKS_MAX]; /* the longest that there ever was */
};

static void add_block(struct blocks *all, const struct block *b)
{
    uint32_t i = 0;
    while (i < all->count && all->addr[i] != b->addr)
        i++;
    if (i == BLOCKS_MAX)
        return;
    bool is_longer = i == all->count || b->len > all->len[i];
    all->addr[i] = b->addr;
    all->len[i] = is_longer ? b->len : all->len[i];
    all->count += i == all->count;
}

/* Those that the pointer may point to: told to other threads, or the one of the run. */
static struct blocks find_blocks(const struct exec *x, uint64_t recorded)
{
    struct blocks all = {0};
    for (uint32_t i = 0; i < x->streams->blocks.len; i++) {
        const struct block *b = &x->streams->blocks.at[i];
        if (b->is_told || b->addr == recorded)
            add_block(&all, b);
    }
    return all;
}

/* The pointer may be that of another block, the offset another one: it is too far for the
 * block. Offsets of fields are the same in all of them. */
static void check_blocks(struct exec *x, LLVMValueRef inst, const struct val *base,
                         const struct val *offset, uint64_t bytes)
{
    struct blocks all = find_blocks(x, (uint64_t)base->bits);
    struct term_pool *p = x->pool;
    term far = term_const(p, 1, 0);
    for (uint32_t i = 0; i < all.count; i++) {
        term is_this = term_eq(p, base->term, term_const(p, 64, all.addr[i]));
        term is_out = term_const(p, 1, 1);
        if (bytes <= all.len[i])
            is_out = term_binary(p, TERM_ULT, term_const(p, 64, all.len[i] - bytes),
                                 val_term(x, offset));
        bool is_now = all.addr[i] == (uint64_t)base->bits &&
                      (bytes > all.len[i] || offset->bits > all.len[i] - bytes);
        if (is_now)
            return; /* it is the recorded run that fails, or the block is not what it seems */
        far = term_or(p, far, term_and(p, is_this, is_out));
    }
    add_check(x, IR_BOUNDS, inst, far);
}

static bool has_variable_index(LLVMValueRef gep)
{
    unsigned count = (unsigned)LLVMGetNumOperands(gep);
    for (unsigned i = 1; i < count; i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(gep, i)))
            return true;
    return false;
}

/* ---- all checks of an address ------------------------------------------------------------ */

static void add_checks(struct exec *x, LLVMValueRef inst, LLVMValueRef operand,
                       const struct val *addr, uint64_t bytes)
{
    bool has_length = false, is_array = false;
    struct val offset = val_number(64, 0);
    for (; LLVMIsAGetElementPtrInst(operand); operand = LLVMGetOperand(operand, 0)) {
        struct val more = element_offset(x, operand);
        offset = val_binary(x, TERM_ADD, &offset, &more);
        has_length |= check_indices(x, inst, operand);
        is_array |= has_variable_index(operand);
    }
    struct val base = value_of(x, operand);
    if (base.is_known && base.bits == 0)
        return; /* it is the recorded run that fails */
    if (!base.is_known || base.term == NONE) {
        if (!has_length)
            check_range(x, inst, addr, bytes);
        return;
    }
    add_check(x, IR_NULL, inst, term_eq(x->pool, base.term, term_const(x->pool, 64, 0)));
    if (is_array && offset.is_known)
        check_blocks(x, inst, &base, &offset, bytes);
}

void check_address(struct exec *x, LLVMValueRef inst, LLVMValueRef operand, struct val *addr,
                   uint64_t bytes)
{
    if (addr->term == NONE || !addr->is_known)
        return;
    add_checks(x, inst, operand, addr, bytes);
    fix_value(x, IR_ADDRESS, inst, addr);
}

/* ---- pointers for code from elsewhere ---------------------------------------------------- */

/* Which arguments a function follows, come what may: bit by bit. */
static unsigned followed(const char *name)
{
    static const struct {
        const char *name;
        unsigned arguments;
    } known[] = {
        {"strcpy", 3},
        {"stpcpy", 3},
        {"strcat", 3},
        {"strcmp", 3},
        {"strcasecmp", 3},
        {"strstr", 3},
        {"strlen", 1},
        {"strdup", 1},
        {"strchr", 1},
        {"strrchr", 1},
        {"strtol", 1},
        {"strtoul", 1},
        {"strtod", 1},
        {"atoi", 1},
        {"atol", 1},
        {"atof", 1},
        {"sprintf", 1},
        {"puts", 1},
        {"fputs", 3},
        {"fprintf", 1},
        {"__strcpy_chk", 3},
        {"__strcat_chk", 3},
        {"__sprintf_chk", 1},
        {"pthread_mutex_lock", 1},
        {"pthread_cond_wait", 3},
        {"pthread_mutex_unlock", 1},
        {"pthread_cond_signal", 1},
        {"pthread_cond_broadcast", 1},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].arguments;
    return 0;
}

void check_argument(struct exec *x, LLVMValueRef call, const char *name, unsigned which)
{
    struct val addr = value_of(x, LLVMGetOperand(call, which));
    if (which < 32 && (followed(name) >> which & 1) && addr.is_known && addr.term != NONE)
        add_checks(x, call, LLVMGetOperand(call, which), &addr, 1);
}
