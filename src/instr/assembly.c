/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly: reads the text and the constraints of inline assembly as LLVM keeps them: $1 or
 * ${1:q} is an operand, $$1 a number, $( | $) what differs between the two spellings. Whatever
 * is not known is said to be so, never guessed. */
#include "instr/assembly.h"

#include <ctype.h>
#include <stdlib.h>

enum { TEXT_MAX = 1024 };

/* ---- constraints ------------------------------------------------------------------------ */

static int register_of(struct text name, unsigned *bits)
{
    static const char *const names[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
    *bits = 64;
    if (name.len >= 2 && name.at[0] == 'r' && isdigit((unsigned char)name.at[1])) {
        char *end;
        unsigned long n = strtoul(name.at + 1, &end, 10);
        if (n < 8 || n > 15)
            return -1;
        if (end == name.at + name.len)
            return (int)n;
        *bits = *end == 'd' ? 32 : *end == 'w' ? 16 : 8;
        return end + 1 == name.at + name.len && strchr("dwb", *end) ? (int)n : -1;
    }
    if (name.len == 3 && (name.at[0] == 'r' || name.at[0] == 'e')) {
        *bits = name.at[0] == 'r' ? 64 : 32;
        name = (struct text){name.at + 1, 2};
    } else if (name.len == 2 && name.at[1] == 'l') {
        *bits = 8;
        for (int i = 0; i < 4; i++)
            if (names[i][0] == name.at[0])
                return i;
        return -1;
    } else {
        *bits = 16;
    }
    for (int i = 0; i < 8 && name.len == 2; i++)
        if (memcmp(names[i], name.at, 2) == 0)
            return i;
    return -1;
}

static bool read_fixed(struct text inside, struct asm_operand *o)
{
    unsigned bits;
    if (inside.len > 3 && memcmp(inside.at, "@cc", 3) == 0 &&
        inside.len - 3 < sizeof o->condition) {
        o->is_flag = true;
        memcpy(o->condition, inside.at + 3, inside.len - 3);
        return true;
    }
    o->cell = register_of(inside, &bits);
    return o->cell >= 0;
}

/* One constraint, without what says that it is written or in memory. */
static bool read_place(struct assembly *a, struct text c, struct asm_operand *o)
{
    o->cell = ASM_REGISTERS + (int)a->operand_count;
    if (o->is_memory) {
        o->cell = -1;
        return true;
    }
    if (memchr(c.at, '|', c.len) || memchr(c.at, 'A', c.len))
        return false;
    if (c.len > 2 && c.at[0] == '{' && c.at[c.len - 1] == '}')
        return read_fixed((struct text){c.at + 1, c.len - 2}, o);
    if (c.len && isdigit((unsigned char)c.at[0])) {
        unsigned long as = strtoul(c.at, NULL, 10);
        if (as >= a->operand_count)
            return false;
        o->cell = a->operands[as].cell;
    }
    return true;
}

/* What a call gives back, or one part of it. */
static LLVMTypeRef result_type(LLVMValueRef call, unsigned number)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return number < LLVMCountStructElementTypes(type)
                   ? LLVMStructGetTypeAtIndex(type, number)
                   : NULL;
    return number == 0 ? type : NULL;
}

static bool is_plain(const struct pass *p, LLVMTypeRef type)
{
    LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
    return kind == LLVMPointerTypeKind ||
           (kind == LLVMIntegerTypeKind && LLVMSizeOfTypeInBits(p->layout, type) <= 64);
}

static LLVMTypeRef element_type(LLVMValueRef call, unsigned arg)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
    LLVMAttributeRef is = LLVMGetCallSiteEnumAttribute(call, arg + 1, kind);
    return is ? LLVMGetTypeAttributeValue(is) : NULL;
}

static bool read_operand(const struct pass *p, struct assembly *a, struct text c, unsigned *arg,
                         unsigned *result)
{
    struct asm_operand o = {0};
    while (c.len && strchr("=&*%+", c.at[0])) {
        o.is_output |= c.at[0] == '=';
        o.is_memory |= c.at[0] == '*';
        c = (struct text){c.at + 1, c.len - 1};
    }
    if (a->operand_count == ASM_OPERANDS_MAX)
        return false;
    a->is_plain &= read_place(a, c, &o);
    if (o.is_output && !o.is_memory) {
        o.type = result_type(a->call, (*result)++);
    } else {
        if (*arg >= LLVMGetNumArgOperands(a->call))
            return false;
        o.value = LLVMGetOperand(a->call, *arg);
        o.type = o.is_memory ? element_type(a->call, *arg) : LLVMTypeOf(o.value);
        ++*arg;
    }
    a->operands[a->operand_count++] = o;
    a->is_plain &= o.is_memory || is_plain(p, o.type);
    return o.type != NULL;
}

static bool read_constraints(const struct pass *p, struct assembly *a)
{
    size_t len;
    const char *text = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(a->call), &len);
    const char *end = text + len;
    unsigned arg = 0, result = 0;
    a->is_plain = true;
    a->clobbers_memory = memmem(text, len, "~{memory}", 9) != NULL;
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        struct text one = {text, (uint32_t)((comma ? comma : end) - text)};
        if (one.len && one.at[0] == '!')
            return false;
        if (one.len && one.at[0] != '~' && !read_operand(p, a, one, &arg, &result))
            return false;
        text = comma ? comma + 1 : end;
    }
    return true;
}

/* ---- text ------------------------------------------------------------------------------- */

/* In one spelling, in small letters, without comments; instructions end in ';'. */
static bool read_text(const struct assembly *a, char *out)
{
    size_t len, at = 0;
    unsigned branch = 0;
    bool inside = false;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(a->call), &len);
    for (size_t i = 0; i < len; i++) {
        bool is_mark = text[i] == '$' && i + 1 < len;
        if (is_mark && strchr("(|)", text[i + 1])) {
            branch = text[i + 1] == '|' ? branch + 1 : 0;
            inside = text[++i] != ')';
            continue;
        }
        if (inside && branch != (a->is_intel ? 1u : 0u))
            continue;
        if (text[i] == '#')
            while (i + 1 < len && text[i + 1] != '\n')
                i++;
        else if (at + 2 >= TEXT_MAX)
            return false;
        else
            out[at++] = text[i] == '\n' ? ';' : (char)tolower((unsigned char)text[i]);
    }
    out[at] = 0;
    return true;
}

static bool starts(struct text t, const char *with)
{
    size_t len = strlen(with);
    return t.len >= len && memcmp(t.at, with, len) == 0;
}

static struct text skip(struct text t, size_t bytes)
{
    return text_trim((struct text){t.at + bytes, t.len - (uint32_t)bytes});
}

/* The whole of it, and nothing behind. */
static bool read_number(struct text t, int64_t *out)
{
    char *end;
    bool is_negative = t.len && t.at[0] == '-';
    if (t.len && strchr("+-", t.at[0]))
        t = skip(t, 1);
    if (t.len == 0 || !isdigit((unsigned char)t.at[0]))
        return false;
    uint64_t value = strtoull(t.at, &end, 0);
    *out = (int64_t)(is_negative ? -value : value);
    return end == t.at + t.len;
}

/* ---- arguments -------------------------------------------------------------------------- */

static unsigned width_of(const struct pass *p, const struct asm_operand *o, char modifier)
{
    switch (modifier) {
    case 'b':
        return 8;
    case 'w':
        return 16;
    case 'k':
        return 32;
    case 'q':
        return 64;
    default:
        return (unsigned)(8 * LLVMStoreSizeOfType(p->layout, o->type));
    }
}

/* $1, ${1} or ${1:k}. */
static bool read_reference(const struct pass *p, const struct assembly *a, struct text t,
                           struct asm_arg *out)
{
    bool braced = starts(t, "${");
    char *end;
    char modifier = 0;
    if (t.len < 2 || t.at[0] != '$' || !isdigit((unsigned char)t.at[braced ? 2 : 1]))
        return false;
    unsigned long n = strtoul(t.at + (braced ? 2 : 1), &end, 10);
    if (braced && *end == ':') {
        modifier = end[1];
        end += 2;
    }
    if (braced && *end++ != '}')
        return false;
    if (end != t.at + t.len || n >= a->operand_count || !strchr("bwkqap", modifier))
        return false;
    const struct asm_operand *o = &a->operands[n];
    if (o->is_flag)
        return false;
    *out = (struct asm_arg){.where = o->is_memory || modifier == 'a' ? AT_MEMORY : AT_REGISTER,
                            .bits = modifier == 'a' ? 0 : width_of(p, o, modifier),
                            .cell = o->cell,
                            .base = o->is_memory ? o->value : NULL};
    return modifier != 'p';
}

static bool read_register(const struct assembly *a, struct text t, struct asm_arg *out)
{
    if (!a->is_intel && !starts(t, "%"))
        return false;
    struct text name = starts(t, "%") ? skip(t, 1) : t;
    *out = (struct asm_arg){.where = AT_REGISTER};
    out->cell = register_of(name, &out->bits);
    return out->cell >= 0;
}

/* The register between the brackets, and a number before or behind it. */
static bool read_address(const struct pass *p, const struct assembly *a, struct text inside,
                         struct text offset, struct asm_arg *out)
{
    struct asm_arg base;
    int64_t number = 0;
    if (memchr(inside.at, ',', inside.len) || memchr(inside.at, '*', inside.len))
        return false;
    if (offset.len && !read_number(offset, &number))
        return false;
    if (!read_reference(p, a, inside, &base) && !read_register(a, inside, &base))
        return false;
    *out = (struct asm_arg){.where = AT_MEMORY, .cell = base.cell, .number = number};
    return base.where == AT_REGISTER && base.bits == 64;
}

static bool read_memory(const struct pass *p, const struct assembly *a, struct text t,
                        struct asm_arg *out)
{
    char open = a->is_intel ? '[' : '(', close = a->is_intel ? ']' : ')';
    const char *at = memchr(t.at, open, t.len);
    if (!at || t.at[t.len - 1] != close)
        return false;
    struct text before = text_trim((struct text){t.at, (uint32_t)(at - t.at)});
    struct text inside = text_trim((struct text){at + 1, (uint32_t)(t.at + t.len - 2 - at)});
    if (!a->is_intel)
        return read_address(p, a, inside, before, out);
    const char *sign = memchr(inside.at, '+', inside.len);
    sign = sign ? sign : memchr(inside.at, '-', inside.len);
    struct text behind = {sign, sign ? (uint32_t)(inside.at + inside.len - sign) : 0};
    inside.len -= behind.len;
    return before.len == 0 && read_address(p, a, text_trim(inside), behind, out);
}

/* 8$1 and 8+$1: so many bytes behind an operand in memory. */
static bool read_displaced(const struct pass *p, const struct assembly *a, struct text t,
                           struct asm_arg *out)
{
    const char *at = memchr(t.at, '$', t.len);
    if (!at || at == t.at)
        return false;
    struct text before = text_trim((struct text){t.at, (uint32_t)(at - t.at)});
    if (before.len > 1 && before.at[before.len - 1] == '+')
        before = text_trim((struct text){before.at, before.len - 1});
    int64_t number;
    struct text operand = {at, (uint32_t)(t.at + t.len - at)};
    if (!read_number(before, &number) || !read_reference(p, a, operand, out))
        return false;
    out->number = number;
    return out->where == AT_MEMORY;
}

/* %fs:... and %gs:... lead into memory of the thread's own, whatever stands behind; an operand
 * that is named there is a distance, and no address. */
static bool read_segment(struct assembly *a, struct text t, struct asm_arg *out)
{
    struct text name = starts(t, "%") ? skip(t, 1) : t;
    if ((name.len == t.len && !a->is_intel) || (!starts(name, "fs:") && !starts(name, "gs:")))
        return false;
    for (uint32_t i = 0; i + 1 < t.len; i++) {
        uint32_t digit = i + (t.at[i + 1] == '{' ? 2u : 1u);
        if (t.at[i] != '$' || digit >= t.len || !isdigit((unsigned char)t.at[digit]))
            continue;
        unsigned long n = strtoul(t.at + digit, NULL, 10);
        if (n < a->operand_count)
            a->operands[n].in_segment = true;
    }
    *out = (struct asm_arg){.where = AT_MEMORY, .in_segment = true, .cell = -1};
    return true;
}

static unsigned read_size(struct text *t)
{
    static const struct {
        const char *word;
        unsigned bits;
    } sizes[] = {{"byte ptr", 8},   {"word ptr", 16},   {"dword ptr", 32},
                 {"qword ptr", 64}, {"oword ptr", 128}, {"xmmword ptr", 128}};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (starts(*t, sizes[i].word)) {
            *t = skip(*t, strlen(sizes[i].word));
            return sizes[i].bits;
        }
    return 0;
}

static bool read_arg(const struct pass *p, struct assembly *a, struct text t,
                     struct asm_arg *out)
{
    unsigned said = a->is_intel ? read_size(&t) : 0;
    struct text number = starts(t, "$$") ? skip(t, 2) : t;
    struct asm_arg as_number = {.where = AT_NUMBER, .cell = -1};
    if ((a->is_intel || starts(t, "$$")) && read_number(number, &as_number.number)) {
        *out = as_number;
        return true;
    }
    if (!read_segment(a, t, out) && !read_reference(p, a, t, out) &&
        !read_register(a, t, out) && !read_memory(p, a, t, out) &&
        !read_displaced(p, a, t, out))
        return false;
    if (said)
        out->bits = said;
    return true;
}

/* ---- instructions ----------------------------------------------------------------------- */

static bool read_args(const struct pass *p, struct assembly *a, struct text rest,
                      struct asm_line *line)
{
    while (rest.len) {
        unsigned depth = 0;
        uint32_t i = 0;
        for (; i < rest.len && (depth || rest.at[i] != ','); i++)
            depth += rest.at[i] == '(' ? 1u : rest.at[i] == ')' ? -1u : 0u;
        struct text one = text_trim((struct text){rest.at, i});
        if (line->count == ASM_ARGS_MAX || !read_arg(p, a, one, &line->args[line->count++]))
            return false;
        rest = i < rest.len ? skip(rest, i + 1) : (struct text){rest.at, 0};
    }
    for (unsigned i = 0, k = line->count; a->is_intel && i + 1 < k; i++, k--) {
        struct asm_arg swapped = line->args[i];
        line->args[i] = line->args[k - 1];
        line->args[k - 1] = swapped;
    }
    return true;
}

static struct text first_word(struct text t)
{
    uint32_t len = 0;
    while (len < t.len && !isspace((unsigned char)t.at[len]))
        len++;
    return (struct text){t.at, len};
}

/* What stands before an instruction, also on a line of its own. */
static struct text read_prefixes(struct text t, bool *locked, bool *repeated)
{
    for (;;) {
        struct text word = first_word(t);
        bool is_lock = word.len == 4 && starts(word, "lock");
        bool is_rep = word.len == 3 && starts(word, "rep");
        if (!is_lock && !is_rep)
            return t;
        *locked |= is_lock;
        *repeated |= is_rep;
        t = skip(t, word.len);
    }
}

static bool read_line(const struct pass *p, struct assembly *a, struct text t, bool locked,
                      bool repeated)
{
    struct text word = first_word(t);
    if (a->line_count == ASM_LINES_MAX)
        return false;
    struct asm_line *line = &a->lines[a->line_count++];
    *line = (struct asm_line){.is_locked = locked};
    if (word.len >= sizeof line->name)
        return false;
    if (starts(t, ".byte 0xf3, 0x90") || starts(t, ".byte 0xf3,0x90") ||
        (repeated && word.len == 3 && starts(word, "nop"))) {
        memcpy(line->name, "pause", 5);
        return true;
    }
    memcpy(line->name, word.at, word.len);
    return !repeated && word.at[word.len - 1] != ':' && word.at[0] != '.' &&
           read_args(p, a, skip(t, word.len), line);
}

bool assembly_read(const struct pass *p, LLVMValueRef call, struct assembly *out)
{
    char text[TEXT_MAX];
    LLVMValueRef code = LLVMGetCalledValue(call);
    *out = (struct assembly){.call = call};
    out->is_intel = LLVMGetInlineAsmDialect(code) == LLVMInlineAsmDialectIntel;
    if (!LLVMIsACallInst(call) || !read_constraints(p, out) || !read_text(out, text))
        return false;
    bool locked = false, repeated = false;
    out->is_whole = true;
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, ";");
        struct text line = text_trim((struct text){at, (uint32_t)len});
        at += len + (at[len] != 0);
        line = read_prefixes(line, &locked, &repeated);
        if (line.len == 0)
            continue;
        out->is_whole &= read_line(p, out, line, locked, repeated);
        locked = repeated = false;
    }
    return true;
}
