/* SPDX-License-Identifier: Apache-2.0
 *
 * call: calls of code that is here get a frame; calls of code from elsewhere are what the
 * events until their result say. That code may call back: then the frame of the call waits. */
#include "ir/exec.h"

#include <string.h>

static struct frame *top(struct exec *x)
{
    return &x->frames.at[x->frames.len - 1];
}

/* ---- events that are between others ------------------------------------------------------ */

/* A local begins to live. What comes next is looked at before a function is entered: the local
 * may be one of a frame that is still to come, also of the same function once more. */
static void bind_local(struct exec *x, const struct seen *it)
{
    ir_place place = x->place_of_site[it->site];
    LLVMValueRef alloca = place == NONE ? NULL : x->ir->places.at[place].at;
    memory_forget(x, it->addr, it->len);
    if (!alloca)
        return;
    uint32_t at = x->frames.len ? map_find(&top(x)->locals, key_of(alloca)) : NONE;
    struct made_up *o = at == NONE ? NULL : object_at(x, (uint64_t)x->vals.at[at].bits);
    if (o && (!o->real || o->real == it->addr)) {
        o->real = it->addr;
        return;
    }
    *map_at(&x->early, key_of(alloca)) = x->early_addr.len;
    vec_push(&x->early_addr, it->addr);
}

/* They are no part of what the code says. */
static bool is_between(struct exec *x, const struct seen *it)
{
    switch (it->kind) {
    case EV_EXTERNAL_WRITE:
        memory_forget(x, it->addr, it->len);
        return true;
    case EV_STACK_ENTER:
        bind_local(x, it);
        return true;
    case EV_BRANCH:
    case EV_MARK:
    case EV_HEAR: /* what an external write comes after */
    case EV_STALE:
    case EV_EARLY:
    case EV_INPUT:
    case EV_OUTPUT:
    case EV_STACK_LEAVE:
        return true;
    default:
        return false;
    }
}

void take_item(struct exec *x)
{
    x->last_event = x->stream->items.at[x->at].number;
    x->at++;
    x->path->events++;
}

const struct seen *next_item(struct exec *x)
{
    while (x->at < x->stream->items.len && is_between(x, &x->stream->items.at[x->at]))
        take_item(x);
    return x->at < x->stream->items.len ? &x->stream->items.at[x->at] : NULL;
}

static bool is_next(struct exec *x, unsigned kind, LLVMValueRef v)
{
    const struct seen *it = next_item(x);
    return it && it->kind == kind && v && place_of(x->ir, v) != NONE &&
           x->place_of_site[it->site] == place_of(x->ir, v);
}

static void take_sync(struct exec *x, const struct seen *it)
{
    if (it->kind == EV_ALLOC)
        memory_forget(x, it->addr, it->len);
    if (it->kind != EV_ENTER && it->kind != EV_LEAVE && it->kind != EV_RESULT)
        add_step(x, (struct ir_step){.kind = IR_SYNC,
                                     .site = it->site,
                                     .term = NONE,
                                     .event = it->number,
                                     .addr = it->addr});
    take_item(x);
}

/* ---- frames ------------------------------------------------------------------------------ */

static bool push_function(struct exec *x, LLVMValueRef fn, LLVMValueRef call,
                          const struct val *args, uint32_t count)
{
    enum { DEPTH_MAX = 10000 };
    if (x->frames.len >= DEPTH_MAX)
        return exec_stop(x, "more than %d calls inside each other", DEPTH_MAX);
    if (is_next(x, EV_ENTER, fn))
        take_item(x);
    struct frame f = {.fn = fn,
                      .call = call,
                      .vals = x->vals.len,
                      .unit = unit_of_function(x->ir, fn),
                      .block = LLVMGetEntryBasicBlock(fn)};
    f.inst = LLVMGetFirstInstruction(f.block);
    vec_push(&x->frames, f);
    uint32_t named = LLVMCountParams(fn);
    for (uint32_t i = 0; i < named; i++) {
        LLVMValueRef param = LLVMGetParam(fn, i);
        set_value(x, param, i < count ? args[i] : val_unknown(x, LLVMTypeOf(param)));
    }
    return true;
}

static void pop_frame(struct exec *x)
{
    struct frame *f = top(x);
    x->vals.len = f->vals;
    map_done(&f->locals);
    x->frames.len--;
}

LLVMValueRef pop_left(struct exec *x)
{
    LLVMValueRef call = top(x)->call;
    if (is_next(x, EV_LEAVE, top(x)->fn))
        take_item(x);
    pop_frame(x);
    return call;
}

/* What a call of code from another unit gave back is an event. */
static bool take_result(struct exec *x, LLVMValueRef call, struct val *v)
{
    if (!is_next(x, EV_RESULT, call))
        return true;
    uint64_t recorded = next_item(x)->value;
    if (v->width && v->width <= 64) {
        if (v->is_known && v->bits != recorded &&
            !object_agrees(x, (uint64_t)v->bits, recorded))
            return exec_stop(x, "a call gives back %llu, %llu was expected",
                             (unsigned long long)recorded, (unsigned long long)v->bits);
        v->bits = recorded;
        v->is_known = true;
    }
    take_item(x);
    return true;
}

static void go_on_behind(struct exec *x, LLVMValueRef call)
{
    if (LLVMIsAInvokeInst(call))
        enter_block(x, LLVMGetNormalDest(call));
    else
        top(x)->inst = LLVMGetNextInstruction(call);
}

bool exec_return(struct exec *x, LLVMValueRef inst)
{
    LLVMValueRef fn = top(x)->fn, call = top(x)->call;
    struct val v = {.term = NONE};
    if (LLVMGetNumOperands(inst) > 0)
        v = value_of(x, LLVMGetOperand(inst, 0));
    if (is_next(x, EV_LEAVE, fn))
        take_item(x);
    if (!call) /* what becomes of it elsewhere is not known */
        fix_value(x, IR_FOREIGN, inst, &v);
    pop_frame(x);
    if (!call)
        return true;
    if (!take_result(x, call, &v))
        return false;
    set_value(x, call, v);
    go_on_behind(x, call);
    return true;
}

/* ---- code from elsewhere ----------------------------------------------------------------- */

static bool is_sync_name(const char *name)
{
    static const char *const prefixes[] = {"pthread_", "sem_", "mtx_",     "cnd_",
                                           "thrd_",    "tss_", "call_once"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static const char *name_of(LLVMValueRef call)
{
    size_t len;
    LLVMValueRef fn = LLVMIsAFunction(LLVMGetCalledValue(call));
    return fn ? LLVMGetValueName2(fn, &len) : "";
}

/* The argument that a thread is started with goes to it as it is. */
static unsigned start_argument(const char *name)
{
    return strcmp(name, "pthread_create") == 0 ? 3
           : strcmp(name, "thrd_create") == 0  ? 2
                                               : NONE;
}

/* Memory of the thread's own behind a pointer: that code may read it, and change it. */
static void fix_memory(struct exec *x, LLVMValueRef call, enum ir_why why, uint64_t addr)
{
    enum { LOOK_BYTES = 256 };
    for (uint64_t i = 0; i < LOOK_BYTES; i++) {
        struct byte b = memory_own(x, addr + i);
        if (!b.is_known)
            continue;
        struct val v = val_from_row(x, 8, &b, 1);
        if (why == IR_FOREIGN) {
            fix_value(x, why, call, &v);
            b.term = NONE;
        }
        b.is_weak = true;
        memory_put(x, addr + i, b);
    }
}

static void fix_arguments(struct exec *x, LLVMValueRef call, const char *name)
{
    unsigned count = LLVMGetNumArgOperands(call);
    bool is_output = is_output_function(name) && !LLVMGetFirstUse(call);
    enum ir_why why = is_sync_name(name) ? IR_LOCK : IR_FOREIGN;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(call, i);
        if (LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMMetadataTypeKind)
            continue;
        struct val v = value_of(x, operand);
        bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMPointerTypeKind;
        if (i == start_argument(name) || (is_output && !is_pointer))
            continue;
        if (is_pointer)
            check_argument(x, call, name, i);
        fix_value(x, why, call, &v);
        if (is_pointer && v.is_known && v.bits && !is_output)
            fix_memory(x, call, why, (uint64_t)v.bits);
    }
}

/* A thread is created: what it gets to work with. */
static void note_start(struct exec *x, LLVMValueRef call, const struct seen *it)
{
    unsigned at = start_argument(name_of(call));
    if (at == NONE || at >= LLVMGetNumArgOperands(call))
        return;
    struct val v = value_of(x, LLVMGetOperand(call, at));
    v.bits = v.term == NONE ? object_real(x, (uint64_t)v.bits) : v.bits;
    bool is_known = v.is_known && v.width && !object_at(x, (uint64_t)v.bits);
    x->starts[it->peer] = (struct start_arg){.arg = v, .is_known = is_known};
}

/* A function that code from elsewhere calls; its arguments are not known. */
static bool call_back(struct exec *x, const struct seen *it)
{
    ir_place place = x->place_of_site[it->site];
    LLVMValueRef fn = place == NONE ? NULL : x->ir->places.at[place].at;
    if (!fn || !LLVMIsAFunction(fn))
        return exec_stop(x, "a function that is not in the bitcode is entered");
    struct start_arg *start = &x->starts[x->path->thr];
    bool is_first = x->path->thr > 0 && x->frames.len == 0 && start->is_known;
    if (!push_function(x, fn, NULL, &start->arg, is_first ? 1 : 0))
        return false;
    start->is_known = false;
    if (is_next(x, EV_RESULT, fn)) { /* main says how many arguments it has */
        LLVMValueRef first = LLVMGetParam(fn, 0);
        set_value(x, first, val_number(type_width(x, LLVMTypeOf(first)), next_item(x)->value));
        take_item(x);
    }
    return true;
}

/* What happens in code from elsewhere: one event. */
static bool see_foreign(struct exec *x, const struct seen *it)
{
    if (ev_is_access(it->kind)) {
        if (!foreign_access(x, it))
            return false;
        take_item(x);
        return true;
    }
    switch (it->kind) {
    case EV_ENTER:
        return call_back(x, it);
    case EV_LEAVE:
        return exec_stop(x, "a function is left otherwise than by its end");
    case EV_HANDLER_ENTER:
        return exec_stop(x, "a signal handler");
    case EV_EXIT:
    case EV_END_EXIT:
    case EV_END_ASSERT:
    case EV_END_SIGNAL:
        take_sync(x, it);
        x->ended = x->at == x->stream->items.len;
        return !x->ended;
    default:
        take_sync(x, it);
        return true;
    }
}

/* Up to its result; the frame comes back here after every function that it calls. */
static bool exec_foreign(struct exec *x, LLVMValueRef call)
{
    uint32_t depth = x->frames.len;
    while (!is_next(x, EV_RESULT, call)) {
        const struct seen *it = next_item(x);
        if (!it) {
            x->ended = true;
            return false;
        }
        if (it->kind == EV_RESULT)
            return exec_stop(x, "the result of another call");
        if (it->kind == EV_CREATE)
            note_start(x, call, it);
        if (it->kind == EV_ENTER) {
            top(x)->inst = call;
            top(x)->waits = true;
        }
        if (!see_foreign(x, it))
            return false;
        if (x->frames.len > depth)
            return true;
    }
    struct val v = val_unknown(x, LLVMTypeOf(call));
    top(x)->waits = false;
    if (!take_result(x, call, &v))
        return false;
    set_value(x, call, v);
    /* ranges that it wrote are told behind it */
    while (is_next(x, EV_WRITE, call) && !x->stopped)
        if (!see_foreign(x, next_item(x)))
            return false;
    go_on_behind(x, call);
    return true;
}

bool exec_outside(struct exec *x)
{
    const struct seen *it = next_item(x);
    if (it && it->kind != EV_RESULT)
        return see_foreign(x, it);
    if (it)
        take_item(x);
    else
        x->ended = true;
    return it != NULL;
}

/* ---- the instruction --------------------------------------------------------------------- */

/* Structs that are passed in memory are copied for the callee. */
static bool copy_argument(struct exec *x, LLVMValueRef call, unsigned i, struct val *v)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
    if (!byval)
        return true;
    uint64_t len =
        LLVMStoreSizeOfType(x->ir->units.at[0].layout, LLVMGetTypeAttributeValue(byval));
    uint64_t to = object_make(x, len, NULL);
    return copy_range(x, call, v, to, len) && (*v = val_number(64, to), true);
}

static LLVMValueRef called(struct exec *x, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    while (LLVMIsAGlobalAlias(callee))
        callee = LLVMAliasGetAliasee(callee);
    if (LLVMIsAFunction(callee)) {
        /* a body for inlining: the code that ran may be it, or the library's */
        bool is_here = !LLVMIsDeclaration(callee) && is_next(x, EV_ENTER, callee);
        return is_here ? callee : function_body(x->ir, callee);
    }
    struct val v = value_of(x, callee);
    fix_value(x, IR_CALLEE, call, &v);
    const struct made_up *o = v.is_known ? object_at(x, (uint64_t)v.bits) : NULL;
    if (o && o->global && LLVMIsAFunction(o->global))
        return function_body(x->ir, o->global);
    uint32_t at = v.is_known ? map_find(x->function_at, (uint64_t)v.bits) : NONE;
    return at == NONE ? NULL : x->functions[at];
}

static bool exec_body(struct exec *x, LLVMValueRef call, LLVMValueRef body)
{
    unsigned count = LLVMGetNumArgOperands(call);
    struct val *args = ARENA_NEW(&x->mem, struct val, count + 1);
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(body)))
        return exec_stop(x, "a function with arguments that have no names");
    for (unsigned i = 0; i < count; i++) {
        args[i] = value_of(x, LLVMGetOperand(call, i));
        if (!copy_argument(x, call, i, &args[i]))
            return false;
    }
    return push_function(x, body, call, args, count);
}

bool exec_call(struct exec *x, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMValueRef fn = LLVMIsAFunction(callee);
    if (top(x)->waits)
        return exec_foreign(x, call);
    if (fn && LLVMGetIntrinsicID(fn))
        return exec_intrinsic(x, call, fn);
    if (strncmp(name_of(call), "__heddle_mark", 13) == 0)
        return true;
    if (LLVMIsAInlineAsm(callee)) {
        fix_arguments(x, call, "");
        set_value(x, call, val_unknown(x, LLVMTypeOf(call)));
        return true;
    }
    LLVMValueRef body = called(x, call);
    if (body)
        return exec_body(x, call, body);
    fix_arguments(x, call, name_of(call));
    return is_throwing(call) ? exec_throw(x, call) : exec_foreign(x, call);
}
