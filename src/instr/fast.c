/* SPDX-License-Identifier: Apache-2.0
 *
 * fast: hooks whose usual case is decided in the code itself: an access to memory that nobody
 * else has touched counts a step, a branch with no news does nothing. Only what is left is a
 * call. The code is inlined; what it looks at is said in heddle/abi.h (struct __heddle_hot).
 *
 * Outside of loops an access is a call, for the sake of the compiler's time: all of them
 * without one made compiling up to 3.9 times as slow as clang alone.
 *
 * Without optimisation every access is a call: there such code costs more than it saves, and
 * the register allocation of LLVM 19 (fast) puts a reload before the label of a landing pad if
 * debug values stand there, which more blocks make likely. */
#include "instr/insert.h"

#include "base/str.h"
#include "heddle/abi.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <stddef.h>

/* They are linked all at once, at the end: for each module that is linked into it LLVM looks at
 * every type and every place of debug information of the large one. */
LLVMValueRef text_function(struct pass *p, const char *name, const char *code)
{
    LLVMValueRef fn = LLVMGetNamedFunction(p->mod, name);
    if (fn)
        return fn;
    LLVMMemoryBufferRef text =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(code, strlen(code), name);
    LLVMModuleRef small;
    char *message = NULL;
    CHECK(!LLVMParseIRInContext(p->ctx, text, &small, &message));
    LLVMSetTarget(small, LLVMGetTarget(p->mod));
    LLVMSetDataLayout(small, LLVMGetDataLayoutStr(p->mod));
    LLVMValueRef made = LLVMGetNamedFunction(small, name);
    LLVMSetLinkage(made, LLVMExternalLinkage);
    fn = LLVMAddFunction(p->mod, name, LLVMGlobalGetValueType(made));
    if (p->texts)
        CHECK(!LLVMLinkModules2(p->texts, small));
    else
        p->texts = small;
    return fn;
}

void text_functions_link(struct pass *p)
{
    VEC(const char *) made = {0};
    if (!p->texts)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->texts); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) {
            size_t len;
            const char *name = LLVMGetValueName2(f, &len);
            vec_push(&made, arena_text(&p->mem, name, len));
        }
    CHECK(!LLVMLinkModules2(p->mod, p->texts));
    p->texts = NULL;
    for (uint32_t i = 0; i < made.len; i++)
        LLVMSetLinkage(LLVMGetNamedFunction(p->mod, made.at[i]), LLVMInternalLinkage);
    vec_done(&made);
}

/* ---- where it is worth it --------------------------------------------------------------- */

/* Hooks of a loop in which accesses are no calls: in a longer one that would take more of the
 * compiler's time than it saves the program. A branch is so little that it is none in any. */
enum { SHORT_MAX = 200 };

enum { LOOP_LONG = 1, LOOP_SHORT }; /* what insert.looped says of a block */

/* hooks_before[b]: how many stand in the blocks before block b. */
static void count_hooks(const struct insert *in, const struct func *func,
                        const struct map *number, unsigned count, unsigned *hooks_before)
{
    for (uint32_t i = func->first + 1; i < func->end; i++) {
        const struct op *op = &in->p->ops.at[i];
        bool is_access = op->kind == OP_READ || op->kind == OP_WRITE;
        unsigned b = map_find(number, key_of(LLVMGetInstructionParent(op->inst)));
        hooks_before[b + 1] += (unsigned)is_access + (op->why != WHY_NONE);
    }
    for (unsigned b = 0; b < count; b++)
        hooks_before[b + 1] += hooks_before[b];
}

/* span[b]: behind the last block from which a way leads back to block b; 0: none does. */
static void find_spans(LLVMBasicBlockRef *blocks, const struct map *number, unsigned count,
                       unsigned *span)
{
    for (unsigned b = 0; b < count; b++) {
        LLVMValueRef leave = LLVMGetBasicBlockTerminator(blocks[b]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(leave); s++) {
            unsigned to = map_find(number, key_of(LLVMGetSuccessor(leave, s)));
            if (to <= b && span[to] < b + 1)
                span[to] = b + 1;
        }
    }
}

/* Clang lays out a loop from its head to its end: the blocks that a way back spans. A loop that
 * lies otherwise has calls. */
void fast_begin(struct insert *in, const struct func *func)
{
    unsigned count = LLVMCountBasicBlocks(func->fn), end = 0, short_end = 0;
    struct map number = {0};
    map_done(&in->looped);
    in->looped = (struct map){0};
    if (!in->p->opts->is_optimised)
        return;
    LLVMBasicBlockRef *blocks = mem_get(count * sizeof *blocks);
    unsigned *span = mem_zeroed(count, sizeof *span);
    unsigned *hooks_before = mem_zeroed(count + 1, sizeof *hooks_before);
    LLVMGetBasicBlocks(func->fn, blocks);
    for (unsigned b = 0; b < count; b++)
        *map_at(&number, key_of(blocks[b])) = b;
    find_spans(blocks, &number, count, span);
    count_hooks(in, func, &number, count, hooks_before);
    for (unsigned b = 0; b < count; b++) {
        bool is_short = span[b] && hooks_before[span[b]] - hooks_before[b] <= SHORT_MAX;
        end = span[b] > end ? span[b] : end;
        short_end = is_short && span[b] > short_end ? span[b] : short_end;
        if (b < end)
            *map_at(&in->looped, key_of(blocks[b])) = b < short_end ? LOOP_SHORT : LOOP_LONG;
    }
    map_done(&number);
    free(blocks);
    free(span);
    free(hooks_before);
}

static bool is_looped(const struct insert *in, LLVMBasicBlockRef block)
{
    return map_find(&in->looped, key_of(block)) != NONE;
}

bool fast_is(const struct insert *in, const struct op *op)
{
    return !op->is_table &&
           map_find(&in->looped, key_of(LLVMGetInstructionParent(op->inst))) == LOOP_SHORT;
}

/* Of an access that is a call, the branch event before it is part of the same call. */
bool fast_tells(const struct insert *in, const struct op *op)
{
    return in->p->opts->is_optimised && op->why == WHY_ADDRESS && !op->is_table &&
           is_scalar(in->p, op) && !fast_is(in, op);
}

/* ---- accesses --------------------------------------------------------------------------- */

/* $ stands for the size in bytes. The end of a stretch (until) may be set by a signal. */
static const char access_head[] =
    "@__heddle_self = external thread_local(initialexec) global ptr\n"
    "declare ptr @llvm.threadlocal.address.p0(ptr)\n";

static const char access_text[] =
    "    alwaysinline nounwind {\n"
    "entry:\n"
    "  %self = call ptr @llvm.threadlocal.address.p0(ptr @__heddle_self)\n"
    "  %hot = load ptr, ptr %self\n"
    "  %off = icmp eq ptr %hot, null\n"
    "  br i1 %off, label %end, label %on, !prof !0\n"
    "on:\n"
    "  %before = load i64, ptr %hot\n"
    "  %step = add i64 %before, 1\n"
    "  store i64 %step, ptr %hot\n"
    "  %until.at = getelementptr i8, ptr %hot, i64 8\n"
    "  %until = load volatile i64, ptr %until.at\n"
    "  %is.due = icmp uge i64 %step, %until\n"
    "  %shadow.at = getelementptr i8, ptr %hot, i64 32\n"
    "  %shadow = load ptr, ptr %shadow.at\n"
    "  %mask.at = getelementptr i8, ptr %hot, i64 40\n"
    "  %mask = load i64, ptr %mask.at\n"
    "  %address = ptrtoint ptr %addr to i64\n"
    "  %low = and i64 %address, LOW\n"
    "  %is.odd = icmp ne i64 %low, 0\n"
    "  %unit = and i64 %address, %mask\n"
    "  %cell.at = getelementptr i8, ptr %shadow, i64 %unit\n";

static const char read_text[] = "  %own.at = getelementptr i8, ptr %hot, i64 28\n"
                                "  %own = load i32, ptr %own.at\n"
                                "  %reader.at = getelementptr i8, ptr %cell.at, i64 4\n"
                                "  %reader = load i32, ptr %reader.at\n"
                                "  %is.other = icmp ne i32 %reader, %own\n"
                                "  %either = or i1 %is.due, %is.other\n"
                                "  %any = or i1 %either, %is.odd\n"
                                "  br i1 %any, label %tell, label %end, !prof !0\n"
                                "tell:\n";

static const char write_text[] = "  %own.at = getelementptr i8, ptr %hot, i64 24\n"
                                 "  %own = load i64, ptr %own.at\n"
                                 "  %cell = load i64, ptr %cell.at\n"
                                 "  %is.other = icmp ne i64 %cell, %own\n"
                                 "  %either = or i1 %is.due, %is.other\n"
                                 "  %any = or i1 %either, %is.odd\n"
                                 "  br i1 %any, label %tell, label %quiet, !prof !0\n"
                                 "quiet:\n"
                                 "  %write.at = getelementptr i8, ptr %hot, i64 16\n"
                                 "  store i64 %step, ptr %write.at\n"
                                 "  br label %end\n"
                                 "tell:\n";

static const char end_text[] = "  br label %end\n"
                               "end:\n"
                               "  ret void\n"
                               "}\n"
                               "!0 = !{!\"branch_weights\", i32 1, i32 1000}\n";

_Static_assert(offsetof(struct __heddle_hot, until) == 8, "as above");
_Static_assert(offsetof(struct __heddle_hot, last_write) == 16, "as above");
_Static_assert(offsetof(struct __heddle_hot, own_w) == 24, "as above");
_Static_assert(offsetof(struct __heddle_hot, own_r) == 28, "as above");
_Static_assert(offsetof(struct __heddle_hot, shadow) == 32, "as above");
_Static_assert(offsetof(struct __heddle_hot, shadow_mask) == 40, "as above");

static LLVMValueRef access_function(struct pass *p, const char *what, bool is_write,
                                    unsigned bytes)
{
    AUTO(str) struct str name = {0}, code = {0};
    const char *value = is_write ? "i64 %value, " : "", *type = is_write ? "i64, " : "";
    str_add(&name, "__heddle_%s%u_if_seen", what, bytes);
    LLVMValueRef fn = LLVMGetNamedFunction(p->mod, name.at);
    if (fn)
        return fn;
    str_add(&code, "%sdeclare void @__heddle_%s%u_seen(ptr, ptr, %sptr) nounwind\n",
            access_head, what, bytes, type);
    str_add(&code, "define internal void @%s(ptr %%addr, %sptr %%site)\n", name.at, value);
    str_add(&code, "%s", access_text);
    str_add(&code, "%s  call void @__heddle_%s%u_seen(ptr %%hot, ptr %%addr, %sptr %%site)\n%s",
            is_write ? write_text : read_text, what, bytes, value, end_text);
    char *low = strstr(code.at, "LOW");
    CHECK(low && bytes <= 8);
    memcpy(low, "   ", 3);
    *low = (char)('0' + bytes - 1);
    return text_function(p, name.at, code.at);
}

void insert_access(struct insert *in, const struct op *op, unsigned size_log2,
                   LLVMValueRef value, LLVMValueRef site)
{
    struct pass *p = in->p;
    LLVMValueRef address = access_address(op->inst);
    if (!fast_is(in, op)) {
        bool is_told = fast_tells(in, op);
        enum hook read = is_told ? HOOK_TOLD_READ1 : HOOK_READ1;
        enum hook write = is_told ? HOOK_TOLD_WRITE1 : HOOK_WRITE1;
        if (value)
            CALL(in, write + (enum hook)size_log2, address, value, site);
        else
            CALL(in, read + (enum hook)size_log2, address, site);
        return;
    }
    LLVMTypeRef read_type =
        LLVMFunctionType(p->t_void, (LLVMTypeRef[]){p->t_ptr, p->t_ptr}, 2, false);
    LLVMTypeRef write_type =
        LLVMFunctionType(p->t_void, (LLVMTypeRef[]){p->t_ptr, p->t_i64, p->t_ptr}, 3, false);
    LLVMValueRef fn = access_function(p, value ? "write" : "read", value, 1u << size_log2);
    if (value)
        LLVMBuildCall2(in->b, write_type, fn, (LLVMValueRef[]){address, value, site}, 3, "");
    else
        LLVMBuildCall2(in->b, read_type, fn, (LLVMValueRef[]){address, site}, 2, "");
}

/* ---- branches, results ------------------------------------------------------------------ */

/* Most branches tell nothing: seeing that shall not cost a call in a loop, nor anywhere without
 * optimisation. */
static const char branch_text[] =
    "@__heddle_news = external global ptr\n"
    "declare void @__heddle_branch(i32, ptr) nounwind\n"
    "define internal void @__heddle_branch_if_news(i32 %why, ptr %site)\n"
    "    alwaysinline nounwind {\n"
    "entry:\n" IR_TELL_IF_NEWS "  call void @__heddle_branch(i32 %why, ptr %site)\n" IR_TOLD;

static const char result_text[] =
    "@__heddle_news = external global ptr\n"
    "declare void @__heddle_result(i64, ptr) nounwind\n"
    "define internal void @__heddle_result_if_news(i64 %value, ptr %site)\n"
    "    alwaysinline nounwind {\n"
    "entry:\n" IR_TELL_IF_NEWS "  call void @__heddle_result(i64 %value, ptr %site)\n" IR_TOLD;

/* Here a call that mostly returns at once is less than the code that would save it. */
static bool is_called(const struct insert *in)
{
    return in->p->opts->is_optimised && !is_looped(in, LLVMGetInsertBlock(in->b));
}

void insert_branch(struct insert *in, int why, LLVMValueRef site)
{
    struct pass *p = in->p;
    if (is_called(in)) {
        CALL(in, HOOK_BRANCH, u32(in, (uint64_t)why), site);
        return;
    }
    LLVMTypeRef type =
        LLVMFunctionType(p->t_void, (LLVMTypeRef[]){p->t_i32, p->t_ptr}, 2, false);
    LLVMBuildCall2(in->b, type, text_function(p, "__heddle_branch_if_news", branch_text),
                   (LLVMValueRef[]){u32(in, (uint64_t)why), site}, 2, "");
}

void insert_value(struct insert *in, LLVMValueRef value, LLVMValueRef site)
{
    struct pass *p = in->p;
    if (is_called(in)) {
        CALL(in, HOOK_RESULT, value, site);
        return;
    }
    LLVMTypeRef type =
        LLVMFunctionType(p->t_void, (LLVMTypeRef[]){p->t_i64, p->t_ptr}, 2, false);
    LLVMBuildCall2(in->b, type, text_function(p, "__heddle_result_if_news", result_text),
                   (LLVMValueRef[]){value, site}, 2, "");
}
