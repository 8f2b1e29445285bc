/* SPDX-License-Identifier: Apache-2.0
 *
 * call-table: which function calls which, and where. A run can tell which functions are active
 * in a thread, but not where in each of them: this table in the unit's kept record
 * (heddle/calls.h) says it, and costs a run nothing. */
#include "instr/pass.h"

#include "heddle/calls.h"

#include <string.h>

struct calls {
    struct pass *p;
    uint32_t func;
    struct map seen; /* rows of this function */
    struct str rows;
};

/* Functions of libc call nobody, but for those that they were given. */
static bool may_call(LLVMValueRef callee)
{
    return !LLVMGetIntrinsicID(callee) && !is_named(callee, "__heddle_") &&
           !(LLVMIsDeclaration(callee) && (called_is_known(callee) || libc_find(callee)));
}

static void add_row(struct calls *c, const struct site *at, const char *callee)
{
    AUTO(str) struct str row = {0};
    const char *own = c->p->sites.at[c->p->funcs.at[c->func].first].file;
    str_add(&row, "%u:%u\t%s", at->line, at->column, callee);
    if (strcmp(own, at->file) != 0)
        str_add(&row, "\t%s", at->file);
    uint32_t *slot = map_at(&c->seen, hash_bytes(row.at, row.len));
    if (*slot == NONE)
        str_add(&c->rows, "%s\n", row.at);
    *slot = 1;
}

static void visit_call(struct calls *c, LLVMValueRef call)
{
    struct op op = {.kind = OP_CALL, .inst = call, .func = c->func};
    struct site at = {0};
    LLVMValueRef callee = called_function(call);
    if (!LLVMInstructionGetDebugLoc(call) || (callee && is_intrinsic(call, "llvm.")) ||
        LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
        return;
    naming_position(c->p, &op, &at);
    if (!callee)
        add_row(c, &at, HEDDLE_CALLS_UNKNOWN);
    else if (may_call(callee))
        add_row(c, &at, naming_function(c->p, callee));
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++)
        if (LLVMIsAFunction(LLVMGetOperand(call, i)))
            add_row(c, &at, naming_function(c->p, LLVMGetOperand(call, i)));
}

static void add_function(struct calls *c, struct str *out)
{
    const struct func *f = &c->p->funcs.at[c->func];
    const struct site *own = &c->p->sites.at[f->first];
    c->rows.len = 0;
    c->seen = (struct map){0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
                visit_call(c, i);
    if (c->rows.len > 0)
        str_add(out, "=%s\t%s\n%s", own->function, own->file, c->rows.at);
    map_done(&c->seen);
}

/* Is it used otherwise than by calls of it? */
static bool is_taken(LLVMValueRef fn)
{
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool is_call = LLVMIsACallInst(user) || LLVMIsAInvokeInst(user);
        if (!is_call || LLVMGetCalledValue(user) != fn)
            return true;
        unsigned count = LLVMGetNumArgOperands(user);
        for (unsigned i = 0; i < count; i++)
            if (LLVMGetOperand(user, i) == fn)
                return true;
    }
    return false;
}

void calls_tell(struct pass *p, struct str *out)
{
    struct calls c = {.p = p};
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (may_call(f) && is_taken(f))
            str_add(out, "&%s\n", naming_function(p, f));
    for (; c.func < p->funcs.len; c.func++)
        add_function(&c, out);
    str_done(&c.rows);
}
