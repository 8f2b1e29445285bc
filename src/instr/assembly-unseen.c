/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly-unseen: inline assembly that could not be turned into code. Without "memory"
 * among what it changes it touches no more than its operands, which are told as reads and
 * writes. Otherwise nobody knows, unless its instructions have nothing to do with memory. */
#include "instr/assembly.h"
#include "instr/insert.h"

static bool has_prefix(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

/* Hints and traps: no value changes. Rotations of one register back to what it was, and an
 * exchange of a register with itself, are how Valgrind is asked. */
static bool is_hint(const struct asm_line *line)
{
    static const char *const hints[] = {"nop",   "prefetch", "clflush", "clwb", "int3",
                                        "ud2",   "hlt",      "emms",    "rol",  "vzero",
                                        "endbr", "pause",    "yield"};
    bool is_self = strncmp(line->name, "xchg", 4) == 0 && line->count == 2 &&
                   line->args[0].where == AT_REGISTER && line->args[1].where == AT_REGISTER &&
                   line->args[0].cell == line->args[1].cell;
    return is_self || has_prefix(line->name, hints, sizeof hints / sizeof hints[0]);
}

/* The stack and what registers point to, where no argument says so; the kernel; jumps. */
static bool is_implicit(const struct asm_line *line)
{
    static const char *const names[] = {"push", "pop",  "call", "ret",  "leave", "enter",
                                        "sys",  "int",  "movs", "stos", "lods",  "cmps",
                                        "scas", "xlat", "ins",  "outs", "j",     "loop"};
    return line->count == 0 || has_prefix(line->name, names, sizeof names / sizeof names[0]);
}

static bool touches_nothing(const struct assembly *a)
{
    bool hints_only = a->line_count < ASM_LINES_MAX, is_clear = a->is_whole;
    for (uint32_t i = 0; i < a->line_count; i++) {
        const struct asm_line *line = &a->lines[i];
        hints_only &= is_hint(line);
        is_clear &= is_hint(line) || !is_implicit(line);
        for (unsigned k = 0; k < line->count; k++)
            is_clear &= line->args[k].where != AT_MEMORY || line->args[k].in_segment;
    }
    return hints_only || is_clear;
}

/* A segment's memory is the thread's own, and the operand no address. */
static bool is_told(struct pass *p, const struct asm_operand *o)
{
    return o->is_memory && !o->in_segment && !memory_is_private(p, o->value);
}

/* What it gets is different in every run. */
static bool asks_processor(const struct assembly *a)
{
    static const char *const names[] = {"rdtsc", "rdrand", "rdseed", "rdpid", "rdpmc"};
    for (uint32_t i = 0; i < a->line_count; i++)
        if (has_prefix(a->lines[i].name, names, sizeof names / sizeof names[0]))
            return true;
    return false;
}

static bool has_lock(const struct assembly *a)
{
    for (uint32_t i = 0; i < a->line_count; i++)
        if (a->lines[i].is_locked)
            return true;
    return false;
}

LLVMValueRef assembly_address(struct pass *p, LLVMValueRef call)
{
    struct assembly a;
    LLVMValueRef found = NULL;
    if (!assembly_read(p, call, &a))
        return NULL;
    for (uint32_t i = 0; i < a.operand_count && !found; i++)
        if (is_told(p, &a.operands[i]))
            found = a.operands[i].value;
    return found;
}

enum op_kind assembly_kind(struct pass *p, LLVMValueRef call)
{
    struct assembly a;
    size_t len;
    LLVMValueRef code = LLVMGetCalledValue(call);
    const char *constraints = LLVMGetInlineAsmConstraintString(code, &len);
    bool touches = memmem(constraints, len, "~{memory}", 9) || memchr(constraints, '*', len);
    bool is_read = assembly_read(p, call, &a);
    if (is_read && asks_processor(&a))
        return OP_UNSEEN;
    if (!touches)
        return OP_CALL;
    if (!is_read)
        return OP_UNSEEN;
    if (touches_nothing(&a))
        return OP_CALL;
    if (a.clobbers_memory || has_lock(&a))
        return OP_UNSEEN;
    return assembly_address(p, call) ? OP_ASSEMBLY : OP_CALL;
}

bool assembly_keeps(LLVMValueRef call, LLVMValueRef address)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++)
        if (LLVMGetOperand(call, i) == address &&
            !LLVMGetCallSiteEnumAttribute(call, i + 1, kind))
            return false;
    return true;
}

static void tell_operands(struct insert *in, const struct assembly *a, bool is_over,
                          LLVMValueRef site)
{
    for (uint32_t i = 0; i < a->operand_count; i++) {
        const struct asm_operand *o = &a->operands[i];
        if (!is_told(in->p, o))
            continue;
        LLVMValueRef bytes = u64(in, store_bytes(in->p, o->type));
        if (is_over && o->is_output)
            CALL(in, HOOK_WRITE_RANGE, o->value, bytes, site);
        else if (!is_over)
            CALL(in, o->is_output ? HOOK_WRITE_BEGIN : HOOK_READ_RANGE, o->value, bytes, site);
    }
}

void insert_assembly(struct insert *in, const struct op *op, LLVMValueRef site)
{
    struct assembly a;
    CHECK(assembly_read(in->p, op->inst, &a));
    tell_operands(in, &a, false, site);
    place_before(in, LLVMGetNextInstruction(op->inst), op->inst);
    tell_operands(in, &a, true, site);
}
