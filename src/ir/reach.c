/* SPDX-License-Identifier: Apache-2.0
 *
 * reach: can execution get from one place to another? A walk over blocks, into what is called
 * and back to whoever may have called. Which call a function returns to is not kept: more may
 * be reached so than in fact, never less.
 *
 * Code that is not here may call any function whose address is taken: so may every call of it,
 * and every call through a pointer. A thread that is started is another one: where it begins is
 * not entered, and not left either. */
#include "ir/bitcode.h"

#include <string.h>

typedef VEC(LLVMValueRef) values;

struct reach {
    values outward;     /* calls of code that is not here, or through a pointer */
    values taken;       /* functions with a body whose address is taken */
    struct map callers; /* function with a body -> index into lists */
    VEC(values) lists;  /* direct calls of it */
    struct map is_taken;
    struct map rows;        /* place -> index into reached */
    VEC(uint8_t *) reached; /* owned; a bit for each place */
};

static bool is_call(LLVMValueRef i)
{
    return LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) || LLVMIsACallBrInst(i);
}

/* Does the call start a thread? The operand that says where; -1: it does not. */
static int start_operand(LLVMValueRef call)
{
    size_t len;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMValueRef fn = callee ? LLVMIsAFunction(callee) : NULL;
    const char *name = fn ? LLVMGetValueName2(fn, &len) : "";
    return strcmp(name, "pthread_create") == 0 ? 2 : strcmp(name, "thrd_create") == 0 ? 1 : -1;
}

/* The function with a body that it calls for sure; *is_outward: it may call others. */
static LLVMValueRef callee_of(const struct ir *ir, LLVMValueRef call, bool *is_outward)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMValueRef fn = callee ? LLVMIsAFunction(callee) : NULL;
    LLVMValueRef body = fn ? function_body(ir, fn) : NULL;
    *is_outward = !body && !(fn && LLVMGetIntrinsicID(fn)) && start_operand(call) < 0;
    return body;
}

static void note_call(struct reach *r, const struct ir *ir, LLVMValueRef call)
{
    bool is_outward;
    LLVMValueRef body = callee_of(ir, call, &is_outward);
    if (is_outward)
        vec_push(&r->outward, call);
    if (!body)
        return;
    uint32_t *slot = map_at(&r->callers, key_of(body));
    if (*slot == NONE) {
        *slot = r->lists.len;
        vec_push(&r->lists, (values){0});
    }
    vec_push(&r->lists.at[*slot], call);
}

/* Everything but being called by name gives its address away; where a thread begins is called
 * by nobody. */
static bool address_is_taken(LLVMValueRef fn)
{
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user) || !is_call(user))
            return true;
        int start = start_operand(user);
        if (LLVMGetCalledValue(user) != fn && start < 0)
            return true;
        unsigned count = LLVMGetNumArgOperands(user);
        for (unsigned i = 0; i < count; i++)
            if (LLVMGetOperand(user, i) == fn && (int)i != start)
                return true;
    }
    return false;
}

static struct reach *reach_new(const struct ir *ir)
{
    struct reach *r = mem_zeroed(1, sizeof *r);
    for (uint32_t k = 0; k < ir->units.len; k++)
        for (LLVMValueRef f = LLVMGetFirstFunction(ir->units.at[k].mod); f;
             f = LLVMGetNextFunction(f)) {
            LLVMValueRef body = function_body(ir, f);
            if (body && address_is_taken(f) && map_find(&r->is_taken, key_of(body)) == NONE) {
                *map_at(&r->is_taken, key_of(body)) = 1;
                vec_push(&r->taken, body);
            }
            for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
                 b = LLVMGetNextBasicBlock(b))
                for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                     i = LLVMGetNextInstruction(i))
                    if (is_call(i))
                        note_call(r, ir, i);
        }
    return r;
}

void reach_free(struct reach *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->lists.len; i++)
        vec_done(&r->lists.at[i]);
    vec_done(&r->lists);
    vec_done(&r->outward);
    vec_done(&r->taken);
    for (uint32_t i = 0; i < r->reached.len; i++)
        free(r->reached.at[i]);
    vec_done(&r->reached);
    map_done(&r->rows);
    map_done(&r->callers);
    map_done(&r->is_taken);
    free(r);
}

/* ---- the walk ---------------------------------------------------------------------------- */

struct walk {
    const struct ir *ir;
    const struct reach *r;
    uint8_t *reached; /* a bit for each place */
    values work;      /* instructions from which to go on */
    struct map seen;  /* those that were in there */
    bool went_out;
};

static void note_reached(struct walk *w, LLVMValueRef at)
{
    ir_place p = place_of(w->ir, at);
    if (p != NONE)
        w->reached[p / 8] |= (uint8_t)(1 << p % 8);
}

static void go_on(struct walk *w, LLVMValueRef inst)
{
    uint32_t *slot = inst ? map_at(&w->seen, key_of(inst)) : NULL;
    if (!slot || *slot != NONE)
        return;
    *slot = 1;
    vec_push(&w->work, inst);
}

static void enter_block(struct walk *w, LLVMBasicBlockRef block)
{
    go_on(w, LLVMGetFirstInstruction(block));
}

static void enter_function(struct walk *w, LLVMValueRef fn)
{
    note_reached(w, fn);
    enter_block(w, LLVMGetEntryBasicBlock(fn));
}

/* Behind a call: the next instruction, or where an invoke goes on. */
static void go_behind(struct walk *w, LLVMValueRef call)
{
    if (!LLVMIsATerminatorInst(call)) {
        go_on(w, LLVMGetNextInstruction(call));
        return;
    }
    unsigned count = LLVMGetNumSuccessors(call);
    for (unsigned i = 0; i < count; i++)
        enter_block(w, LLVMGetSuccessor(call, i));
}

static void visit_call(struct walk *w, LLVMValueRef call)
{
    bool is_outward;
    LLVMValueRef body = callee_of(w->ir, call, &is_outward);
    if (body)
        enter_function(w, body);
    if (!is_outward || w->went_out)
        return;
    w->went_out = true;
    for (uint32_t i = 0; i < w->r->taken.len; i++)
        enter_function(w, w->r->taken.at[i]);
}

static void leave_function(struct walk *w, LLVMValueRef fn)
{
    uint32_t list = map_find(&w->r->callers, key_of(fn));
    for (uint32_t i = 0; list != NONE && i < w->r->lists.at[list].len; i++)
        go_behind(w, w->r->lists.at[list].at[i]);
    if (map_find(&w->r->is_taken, key_of(fn)) == NONE)
        return;
    for (uint32_t i = 0; i < w->r->outward.len; i++)
        go_behind(w, w->r->outward.at[i]);
}

static void visit(struct walk *w, LLVMValueRef inst)
{
    for (LLVMValueRef i = inst; i; i = LLVMGetNextInstruction(i)) {
        note_reached(w, i);
        if (is_call(i))
            visit_call(w, i);
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        if (op == LLVMRet || op == LLVMResume) {
            leave_function(w, LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
        } else if (LLVMIsATerminatorInst(i)) {
            unsigned count = LLVMGetNumSuccessors(i);
            for (unsigned k = 0; k < count; k++)
                enter_block(w, LLVMGetSuccessor(i, k));
        }
    }
}

static void begin_behind(struct walk *w, LLVMValueRef from)
{
    if (LLVMIsAFunction(from)) {
        enter_block(w, LLVMGetEntryBasicBlock(from));
        return;
    }
    if (is_call(from))
        visit_call(w, from); /* it may be inside of it */
    go_behind(w, from);
}

/* One walk answers for every place: who asks about one asks about others. */
static uint8_t *walk_from(const struct ir *ir, LLVMValueRef from)
{
    uint8_t *reached = mem_zeroed(ir->places.len / 8 + 1, 1);
    struct walk w = {.ir = ir, .r = ir->reach, .reached = reached};
    begin_behind(&w, from);
    while (w.work.len)
        visit(&w, w.work.at[--w.work.len]);
    vec_done(&w.work);
    map_done(&w.seen);
    return reached;
}

bool ir_reaches(struct ir *ir, ir_place from, ir_place to)
{
    CHECK(from < ir->places.len && to < ir->places.len);
    if (!ir->places.at[from].at || !ir->places.at[to].at)
        return true; /* who knows */
    if (!ir->reach)
        ir->reach = reach_new(ir);
    uint32_t *row = map_at(&ir->reach->rows, from);
    if (*row == NONE) {
        *row = ir->reach->reached.len;
        vec_push(&ir->reach->reached, walk_from(ir, ir->places.at[from].at));
    }
    return ir->reach->reached.at[*row][to / 8] >> to % 8 & 1;
}
