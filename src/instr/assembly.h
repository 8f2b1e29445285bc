/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly: inline assembly taken apart: its operands, as the constraints tell, and its
 * instructions. Both spellings become one: the arguments of an instruction stand in the order
 * of AT&T, what is changed last. */
#ifndef INSTR_ASSEMBLY_H
#define INSTR_ASSEMBLY_H

#include "instr/pass.h"

enum {
    ASM_OPERANDS_MAX = 24,
    ASM_LINES_MAX = 24,
    ASM_ARGS_MAX = 3,
    ASM_REGISTERS = 16, /* rax rbx rcx rdx rsi rdi rbp rsp r8 .. r15, in this order */
    ASM_CELLS_MAX = ASM_REGISTERS + ASM_OPERANDS_MAX,
};

enum asm_register { REG_AX, REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP, REG_SP };

/* What the constraints say about one operand. */
struct asm_operand {
    bool is_output, is_memory, is_flag;
    bool in_segment;    /* named behind %fs: or %gs: only a distance within the thread's own */
    int cell;           /* register, or the operand's own one; -1 in memory */
    LLVMValueRef value; /* the argument: an address, if it is in memory; NULL: it has none */
    LLVMTypeRef type;   /* of what is in the register, or in memory */
    char condition[8];  /* is_flag */
};

enum asm_where { AT_REGISTER, AT_MEMORY, AT_NUMBER };

/* An argument of an instruction. */
struct asm_arg {
    enum asm_where where;
    bool in_segment;   /* AT_MEMORY of a segment, the thread's own; nothing else is known */
    unsigned bits;     /* 0: nobody says */
    int cell;          /* AT_REGISTER; AT_MEMORY: holds the address, or -1 */
    LLVMValueRef base; /* AT_MEMORY: the address, if it is an operand's */
    int64_t number;    /* AT_NUMBER; AT_MEMORY: bytes behind it */
};

struct asm_line {
    char name[16];
    bool is_locked;
    uint8_t count;
    struct asm_arg args[ASM_ARGS_MAX];
};

struct assembly {
    LLVMValueRef call;
    bool clobbers_memory, is_intel;
    bool is_plain; /* values are numbers and addresses in registers that are known */
    bool is_whole; /* every instruction could be read */
    uint32_t operand_count, line_count;
    struct asm_operand operands[ASM_OPERANDS_MAX];
    struct asm_line lines[ASM_LINES_MAX];
};

/* False: not even its operands are understood. */
bool assembly_read(const struct pass *p, LLVMValueRef call, struct assembly *out);

#endif
