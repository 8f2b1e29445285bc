/* SPDX-License-Identifier: Apache-2.0
 *
 * tables: what a unit says about itself, in sections of its object (include/heddle/abi.h):
 *
 *     heddle_sites    struct __heddle_site[]    writable; one per function, joined at the link
 *     heddle_units    struct __heddle_unit      one per unit
 *     heddle_globals  struct __heddle_global[]
 *     heddle_abi      a pointer to __heddle_abi_N, so that another runtime does not link
 *     heddle_bitcode  the module before hooks; not loaded at run time
 *     heddle_commands how it was compiled (instr.h); not loaded either
 *
 * Everything is in llvm.used: neither the optimiser nor --gc-sections takes it away. The
 * symbols are local, so that units never collide. */
#include "instr/cc.h"
#include "instr/pass.h"

#include "base/io.h"
#include "heddle/abi.h"
#include "heddle/bitcode.h"
#include "heddle/calls.h"

#include <assert.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Comdat.h>
#include <stddef.h>

/* The tables are built field by field below. */
static_assert(sizeof(struct __heddle_site) == 48, "layout of the site table");
static_assert(sizeof(struct __heddle_unit) == 48, "layout of the unit table");
static_assert(sizeof(struct __heddle_global) == 32, "layout of the globals table");

enum { UNIT_AT = offsetof(struct __heddle_site, unit) };

#define STRING_(x) #x
#define STRING(x) STRING_(x)

struct tables {
    struct pass *p;
    struct map texts; /* hash of a text -> index */
    struct {
        LLVMValueRef *at;
        uint32_t len, cap;
    } text_globals;
    struct map site_texts; /* hash of a text -> its place in all_texts */
    struct str all_texts;
    VEC(LLVMValueRef) used;
};

/* ---- pieces ----------------------------------------------------------------------------- */

static LLVMValueRef add_global(struct pass *p, LLVMTypeRef type, const char *name,
                               const char *section)
{
    LLVMValueRef g = LLVMAddGlobal(p->mod, type, name);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    if (section)
        LLVMSetSection(g, section);
    LLVMSetAlignment(g, 8);
    return g;
}

static LLVMValueRef text_global(struct tables *t, const char *text)
{
    struct pass *p = t->p;
    size_t len = strlen(text);
    uint32_t *slot = map_at(&t->texts, hash_bytes(text, len));
    if (*slot != NONE)
        return t->text_globals.at[*slot];
    LLVMValueRef value = LLVMConstStringInContext2(p->ctx, text, len, false);
    LLVMValueRef g = LLVMAddGlobal(p->mod, LLVMTypeOf(value), "__heddle_text");
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(g, 1);
    *slot = t->text_globals.len;
    vec_push(&t->text_globals, g);
    return g;
}

static LLVMValueRef u32(const struct pass *p, uint64_t value)
{
    return LLVMConstInt(p->t_i32, value, false);
}

LLVMValueRef site_address(struct pass *p, uint32_t site)
{
    const struct func *func = &p->funcs.at[p->ops.at[site].func];
    LLVMValueRef offset = LLVMConstInt(
        p->t_i64, (uint64_t)(site - func->first) * sizeof(struct __heddle_site), false);
    return LLVMConstInBoundsGEP2(p->t_i8, func->table, &offset, 1);
}

/* ---- declaration ------------------------------------------------------------------------ *
 * One table per function: the optimiser walks through all constants that a function can reach,
 * for every function. */

/* All of it but the first site's pointer to the unit are plain bytes. */
static LLVMTypeRef table_type(const struct pass *p, uint64_t count)
{
    LLVMTypeRef head = LLVMArrayType2(p->t_i8, UNIT_AT);
    LLVMTypeRef rest = LLVMArrayType2(p->t_i8, (count - 1) * sizeof(struct __heddle_site));
    return LLVMStructTypeInContext(p->ctx, (LLVMTypeRef[]){head, p->t_ptr, rest}, 3, false);
}

void tables_declare(struct pass *p)
{
    LLVMTypeRef d = p->t_i32, a = p->t_ptr;
    p->t_unit = LLVMStructTypeInContext(p->ctx, (LLVMTypeRef[]){d, d, a, a, a, a, a}, 7, false);
    p->unit = add_global(p, p->t_unit, "__heddle_unit", "heddle_units");
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        struct func *f = &p->funcs.at[i];
        f->table =
            add_global(p, table_type(p, f->end - f->first), "__heddle_sites", "heddle_sites");
    }
    p->here = LLVMGetNamedGlobal(p->mod, "__heddle_here");
    if (!p->here)
        p->here = LLVMAddGlobal(p->mod, p->t_ptr, "__heddle_here");
}

/* ---- contents --------------------------------------------------------------------------- */

static LLVMValueRef constant_global(struct pass *p, LLVMValueRef value, const char *name)
{
    LLVMValueRef g = add_global(p, LLVMTypeOf(value), name, NULL);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, true);
    return g;
}

static LLVMValueRef bytes_value(struct pass *p, const void *at, size_t len)
{
    return LLVMConstStringInContext2(p->ctx, at, len, true);
}

static bool is_access(enum op_kind kind)
{
    return (kind >= OP_READ && kind <= OP_SET) || (kind >= OP_ATOMIC_LOAD && kind <= OP_CAS);
}

static uint32_t site_flags(const struct op *op)
{
    bool is_plain = op->kind == OP_READ || op->kind == OP_WRITE;
    return (is_access(op->kind) ? HEDDLE_SITE_ACCESS : 0u) |
           (op->is_unknown ? HEDDLE_SITE_UNKNOWN : 0u) |
           (is_plain && LLVMGetVolatile(op->inst) ? HEDDLE_SITE_VOLATILE : 0u);
}

static int32_t site_text(struct tables *t, const char *text)
{
    size_t len = strlen(text);
    uint32_t *slot = map_at(&t->site_texts, hash_bytes(text, len));
    if (*slot == NONE) {
        CHECK(t->all_texts.len + len < INT32_MAX);
        *slot = (uint32_t)t->all_texts.len;
        str_bytes(&t->all_texts, text, len + 1);
    }
    return (int32_t)*slot;
}

static struct __heddle_site site_row(struct tables *t, uint32_t i)
{
    struct pass *p = t->p;
    const struct site *s = &p->sites.at[i];
    return (struct __heddle_site){
        .ordinal = i,
        .line = s->line,
        .column = (uint16_t)(s->column < UINT16_MAX ? s->column : UINT16_MAX),
        .depends_count = (uint16_t)s->depends_count,
        .statement = s->statement,
        .flags = site_flags(&p->ops.at[i]),
        .file = site_text(t, s->file),
        .function = site_text(t, s->function),
        .name = site_text(t, s->name),
        .depends = s->depends_count ? s->depends_at : 0,
    };
}

static void fill_table(struct tables *t, const struct func *f, struct __heddle_site *rows)
{
    struct pass *p = t->p;
    uint32_t count = f->end - f->first;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = site_row(t, f->first + i);
    LLVMValueRef parts[] = {bytes_value(p, rows, UNIT_AT), p->unit,
                            bytes_value(p, rows + 1, (count - 1) * sizeof *rows)};
    LLVMSetInitializer(f->table, LLVMConstStructInContext(p->ctx, parts, 3, false));
    vec_push(&t->used, f->table);
}

static void fill_sites(struct tables *t)
{
    struct pass *p = t->p;
    struct __heddle_site *rows = mem_get((p->sites.len + 1) * sizeof *rows);
    site_text(t, "");
    for (uint32_t k = 0; k < p->funcs.len; k++)
        fill_table(t, &p->funcs.at[k], rows);
    free(rows);
}

/* Behind the sites. */
static void fill_unit(struct tables *t)
{
    struct pass *p = t->p;
    LLVMValueRef texts = bytes_value(p, t->all_texts.at, t->all_texts.len);
    LLVMValueRef depends =
        bytes_value(p, p->depends.at, p->depends.len * sizeof *p->depends.at);
    LLVMValueRef fields[] = {
        u32(p, 0),
        u32(p, HEDDLE_UNIT_BRANCHES),
        text_global(t, p->opts->source),
        text_global(t, p->opts->directory),
        text_global(t, p->opts->command),
        constant_global(p, texts, "__heddle_texts"),
        constant_global(p, depends, "__heddle_depends"),
    };
    LLVMSetInitializer(p->unit, LLVMConstStructInContext(p->ctx, fields, 7, false));
    vec_push(&t->used, p->unit);
}

/* A local symbol in a group of sections that the linker may discard cannot be named here. */
static bool is_listed(struct pass *p, LLVMValueRef g)
{
    if (LLVMIsDeclaration(g) || LLVMIsGlobalConstant(g) || is_named(g, "llvm.") ||
        is_named(g, "__heddle_") || LLVMGetLinkage(g) == LLVMAvailableExternallyLinkage)
        return false;
    LLVMLinkage linkage = LLVMGetLinkage(g);
    bool is_local = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    return !(is_local && LLVMGetComdat(g)) && LLVMABISizeOfType(p->layout, type) > 0;
}

/* Bytes of each element, or nothing for what is no array. */
static uint32_t element_bytes(const struct pass *p, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return 0;
    uint64_t bytes = LLVMABISizeOfType(p->layout, LLVMGetElementType(type));
    return bytes <= UINT32_MAX ? (uint32_t)bytes : 0;
}

static void fill_globals(struct tables *t)
{
    struct pass *p = t->p;
    VEC(LLVMValueRef) rows = {0};
    LLVMTypeRef type = LLVMStructTypeInContext(
        p->ctx, (LLVMTypeRef[]){p->t_ptr, p->t_i64, p->t_ptr, p->t_i32, p->t_i32}, 5, false);
    LLVMValueRef next;
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->mod); g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (!is_listed(p, g))
            continue;
        bool is_tls = LLVMIsThreadLocal(g);
        uint64_t bytes = LLVMABISizeOfType(p->layout, LLVMGlobalGetValueType(g));
        LLVMValueRef fields[] = {
            is_tls ? LLVMConstNull(p->t_ptr) : g,
            LLVMConstInt(p->t_i64, bytes, false),
            text_global(t, naming_global(p, g)),
            u32(p, is_tls),
            u32(p, element_bytes(p, LLVMGlobalGetValueType(g))),
        };
        vec_push(&rows, LLVMConstStructInContext(p->ctx, fields, 5, false));
    }
    if (rows.len) {
        LLVMValueRef array = LLVMConstArray2(type, rows.at, rows.len);
        LLVMValueRef g = add_global(p, LLVMTypeOf(array), "__heddle_globals", "heddle_globals");
        LLVMSetInitializer(g, array);
        vec_push(&t->used, g);
    }
    vec_done(&rows);
}

static void refer_to_abi(struct tables *t)
{
    struct pass *p = t->p;
    static const char name[] = "__heddle_abi_" STRING(HEDDLE_ABI);
    LLVMValueRef abi = LLVMGetNamedGlobal(p->mod, name);
    if (!abi)
        abi = LLVMAddGlobal(p->mod, p->t_i8, name);
    LLVMValueRef g = add_global(p, p->t_ptr, "__heddle_abi", "heddle_abi");
    LLVMSetInitializer(g, abi);
    vec_push(&t->used, g);
}

/* llvm.used is made anew: arrays of constants do not grow. */
static void keep_used(struct tables *t)
{
    struct pass *p = t->p;
    LLVMValueRef old = LLVMGetNamedGlobal(p->mod, "llvm.used");
    if (old) {
        LLVMValueRef list = LLVMGetInitializer(old);
        unsigned count = (unsigned)LLVMGetNumOperands(list);
        for (unsigned i = 0; i < count; i++)
            vec_push(&t->used, LLVMGetOperand(list, i));
        LLVMDeleteGlobal(old);
    }
    LLVMValueRef array = LLVMConstArray2(p->t_ptr, t->used.at, t->used.len);
    LLVMValueRef g = LLVMAddGlobal(p->mod, LLVMTypeOf(array), "llvm.used");
    LLVMSetInitializer(g, array);
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    LLVMSetSection(g, "llvm.metadata");
}

/* ---- the kept module -------------------------------------------------------------------- */

static void add_escaped(struct str *out, const uint8_t *at, size_t len)
{
    enum { PER_LINE = 64 };
    for (size_t i = 0; i < len; i++) {
        if (i % PER_LINE == 0)
            str_bytes(out, "\n.ascii \"", 9);
        char octal[4] = {'\\', (char)('0' + (at[i] >> 6)), (char)('0' + (at[i] >> 3 & 7)),
                         (char)('0' + (at[i] & 7))};
        bool is_plain = at[i] >= ' ' && at[i] < 127 && at[i] != '"' && at[i] != '\\';
        if (is_plain)
            str_char(out, (char)at[i]);
        else
            str_bytes(out, octal, 4);
        if (i % PER_LINE == PER_LINE - 1 || i == len - 1)
            str_char(out, '"');
    }
}

void tables_record(struct str *out, const char *what, const char *directory, const char *source,
                   const char *command)
{
    const char *const texts[] = {what, directory, source, command};
    AUTO(str) struct str record = {0};
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        str_bytes(&record, texts[i], strlen(texts[i]) + 1);
    str_add(out, ".pushsection heddle_commands,\"\",@progbits");
    add_escaped(out, (const uint8_t *)record.at, record.len);
    str_add(out, "\n.popsection\n");
}

static void fill_command(struct pass *p)
{
    AUTO(str) struct str text = {0};
    tables_record(&text, INSTR_RECORD_UNIT, p->opts->directory, p->opts->source,
                  p->opts->command);
    for (uint32_t i = 0; p->opts->reads && i < p->opts->reads->len; i++) {
        char hash[17];
        snprintf(hash, sizeof hash, "%016" PRIx64, p->opts->reads->at[i].hash);
        tables_record(&text, INSTR_RECORD_READ, "", p->opts->reads->at[i].path, hash);
    }
    AUTO(str) struct str calls = {0};
    calls_tell(p, &calls);
    if (calls.len > 0)
        tables_record(&text, HEDDLE_CALLS_RECORD, "", p->opts->source, calls.at);
    LLVMAppendModuleInlineAsm(p->mod, text.at, text.len);
}

/* A section without flags stays out of the program's memory; only assembly can make one. */
static int fill_bitcode(struct pass *p, struct err *err)
{
    struct bytes plain = {.at = (const uint8_t *)LLVMGetBufferStart(p->kept),
                          .len = LLVMGetBufferSize(p->kept)};
    AUTO(bytes) struct bytes packed = {0};
    if (bytes_pack_zstd(&plain, &packed, err) < 0)
        return -1;
    struct bitcode_frame frame = {
        .magic = BITCODE_MAGIC, .packed_bytes = packed.len, .plain_bytes = plain.len};
    AUTO(str) struct str text = {0};
    str_reserve(&text, 4 * packed.len + 256);
    str_add(&text, ".pushsection " BITCODE_SECTION ",\"\",@progbits\n.balign 8");
    add_escaped(&text, (const uint8_t *)&frame, sizeof frame);
    add_escaped(&text, packed.at, packed.len);
    str_add(&text, "\n.balign 8\n.popsection\n");
    LLVMAppendModuleInlineAsm(p->mod, text.at, text.len);
    return 0;
}

int tables_fill(struct pass *p, struct err *err)
{
    struct tables t = {.p = p};
    fill_sites(&t);
    fill_unit(&t);
    fill_globals(&t);
    refer_to_abi(&t);
    keep_used(&t);
    map_done(&t.texts);
    map_done(&t.site_texts);
    str_done(&t.all_texts);
    vec_done(&t.text_globals);
    vec_done(&t.used);
    fill_command(p);
    return fill_bitcode(p, err);
}
