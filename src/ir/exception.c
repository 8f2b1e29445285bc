/* SPDX-License-Identifier: Apache-2.0
 *
 * exception: an exception leaves frames until a landing pad; pads that only clean up go on with
 * it. Which catch takes it follows from its type: from the type descriptions in the bitcode,
 * and for those of the standard library from their names. */
#include "ir/exec.h"

#include <string.h>

/* ---- what is thrown ---------------------------------------------------------------------- */

/* Functions of the standard library that do nothing but throw, by a part of their name. */
static const char *thrown_by(const char *function)
{
    static const char *const known[][2] = {
        {"__throw_out_of_range", "_ZTISt12out_of_range"},
        {"__throw_length_error", "_ZTISt12length_error"},
        {"__throw_invalid_argument", "_ZTISt16invalid_argument"},
        {"__throw_logic_error", "_ZTISt11logic_error"},
        {"__throw_runtime_error", "_ZTISt13runtime_error"},
        {"__throw_system_error", "_ZTISt12system_error"},
        {"__throw_bad_alloc", "_ZTISt9bad_alloc"},
        {"__throw_bad_function_call", "_ZTISt17bad_function_call"},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(function, known[i][0]))
            return known[i][1];
    return NULL;
}

static const char *name_of(LLVMValueRef v)
{
    size_t len;
    return v && LLVMIsAGlobalValue(v) ? LLVMGetValueName2(v, &len) : "";
}

bool is_throwing(LLVMValueRef call)
{
    const char *name = name_of(LLVMGetCalledValue(call));
    return strcmp(name, "__cxa_throw") == 0 || strcmp(name, "__cxa_rethrow") == 0 ||
           thrown_by(name);
}

/* ---- does a catch take it? --------------------------------------------------------------- */

static const char *standard_base(const char *type)
{
    static const char *const known[][2] = {
        {"_ZTISt11range_error", "_ZTISt13runtime_error"},
        {"_ZTISt14overflow_error", "_ZTISt13runtime_error"},
        {"_ZTISt15underflow_error", "_ZTISt13runtime_error"},
        {"_ZTISt12system_error", "_ZTISt13runtime_error"},
        {"_ZTISt12domain_error", "_ZTISt11logic_error"},
        {"_ZTISt16invalid_argument", "_ZTISt11logic_error"},
        {"_ZTISt12length_error", "_ZTISt11logic_error"},
        {"_ZTISt12out_of_range", "_ZTISt11logic_error"},
        {"_ZTISt20bad_array_new_length", "_ZTISt9bad_alloc"},
        {"_ZTISt13runtime_error", "_ZTISt9exception"},
        {"_ZTISt11logic_error", "_ZTISt9exception"},
        {"_ZTISt9bad_alloc", "_ZTISt9exception"},
        {"_ZTISt8bad_cast", "_ZTISt9exception"},
        {"_ZTISt10bad_typeid", "_ZTISt9exception"},
        {"_ZTISt13bad_exception", "_ZTISt9exception"},
        {"_ZTISt17bad_function_call", "_ZTISt9exception"},
        {"_ZTISt12bad_weak_ptr", "_ZTISt9exception"},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i][0], type) == 0)
            return known[i][1];
    return NULL;
}

/* The description of a type in one of the units, with what it refers to; NULL: nowhere. */
static LLVMValueRef description(const struct ir *ir, const char *type)
{
    for (uint32_t i = 0; i < ir->units.len; i++) {
        LLVMValueRef g = LLVMGetNamedGlobal(ir->units.at[i].mod, type);
        if (g && LLVMGetInitializer(g))
            return LLVMGetInitializer(g);
    }
    return NULL;
}

static bool is_kind_of(const struct ir *ir, const char *type, const char *wanted,
                       unsigned depth)
{
    enum { DEPTH_MAX = 16 };
    if (strcmp(type, wanted) == 0)
        return true;
    const char *base = standard_base(type);
    if (base)
        return is_kind_of(ir, base, wanted, depth + 1);
    LLVMValueRef d = depth < DEPTH_MAX ? description(ir, type) : NULL;
    int count = d ? LLVMGetNumOperands(d) : 0;
    for (int i = 2; i < count; i++) {
        const char *name = name_of(LLVMGetOperand(d, (unsigned)i));
        if (strncmp(name, "_ZTI", 4) == 0 && is_kind_of(ir, name, wanted, depth + 1))
            return true;
    }
    return false;
}

/* Any number will do, as long as it is the same in the landing pad and where it is compared. */
static uint32_t number_of(const char *type)
{
    return (uint32_t)(hash_bytes(type, strlen(type)) & 0x3fffffff) + 1;
}

struct val type_number(LLVMValueRef type)
{
    return val_number(32, number_of(name_of(type)));
}

/* What the code behind the pad asks for: 0, or the number of the catch that takes it. */
static uint32_t selected(const struct exec *x, LLVMValueRef pad)
{
    unsigned count = LLVMGetNumClauses(pad);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef clause = LLVMGetClause(pad, i);
        if (LLVMIsNull(clause))
            return number_of("");
        if (is_kind_of(x->ir, x->thrown, name_of(clause), 0))
            return number_of(name_of(clause));
    }
    return 0;
}

/* ---- unwinding --------------------------------------------------------------------------- */

/* To the landing pad of an invoke, if it has a use for the exception. */
static bool lands(struct exec *x, LLVMValueRef call)
{
    LLVMBasicBlockRef to = LLVMIsAInvokeInst(call) ? LLVMGetUnwindDest(call) : NULL;
    LLVMValueRef pad = to ? LLVMGetFirstInstruction(to) : NULL;
    while (pad && LLVMIsAPHINode(pad))
        pad = LLVMGetNextInstruction(pad);
    if (!pad || !LLVMIsALandingPadInst(pad) || (!LLVMIsCleanup(pad) && !selected(x, pad)))
        return false;
    enter_block(x, to);
    return true;
}

bool exec_unwind(struct exec *x)
{
    while (x->frames.len > 0) {
        LLVMValueRef call = pop_left(x);
        if (!call)
            return exec_stop(x, "an exception leaves the code that is here");
        if (lands(x, call))
            return true;
    }
    return false;
}

bool exec_throw(struct exec *x, LLVMValueRef call)
{
    const char *name = name_of(LLVMGetCalledValue(call));
    bool is_again = strcmp(name, "__cxa_rethrow") == 0;
    if (!is_again)
        x->thrown = strcmp(name, "__cxa_throw") == 0 ? name_of(LLVMGetOperand(call, 1))
                                                     : thrown_by(name);
    if (!x->thrown || !*x->thrown)
        return exec_stop(x, "an exception whose type is not known");
    return lands(x, call) || exec_unwind(x);
}

bool exec_landing_pad(struct exec *x, LLVMValueRef inst)
{
    struct val pair = val_unknown(x, LLVMTypeOf(inst));
    if (!x->thrown || pair.part_count != 2)
        return exec_stop(x, "an exception whose type is not known");
    pair.parts[1] = val_number(32, selected(x, inst));
    set_value(x, inst, pair);
    return true;
}
