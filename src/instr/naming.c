/* SPDX-License-Identifier: Apache-2.0
 *
 * naming: what people call the things that instructions touch. Debug information says which
 * variable a value holds or a place is; from there an address is followed through types: a
 * member by its offset, an element by its array, a pointer by what it points to. */
#include "instr/pass.h"

#include <stdio.h>
#include <unistd.h>

enum { /* DWARF 5, table 7.3 */
       TAG_ARRAY = 0x01,
       TAG_CLASS = 0x02,
       TAG_MEMBER = 0x0d,
       TAG_POINTER = 0x0f,
       TAG_REFERENCE = 0x10,
       TAG_STRUCT = 0x13,
       TAG_TYPEDEF = 0x16,
       TAG_UNION = 0x17,
       TAG_INHERITANCE = 0x1c,
       TAG_CONST = 0x26,
       TAG_VOLATILE = 0x35,
       TAG_RESTRICT = 0x37,
       TAG_RVALUE = 0x42,
       TAG_ATOMIC = 0x47,
};

enum { /* operands of debug information nodes: LLVM 19, DebugInfoMetadata.h */
       NODE_SCOPE = 1,
       NODE_NAME = 2,
       NODE_BASE = 3,
       NODE_ELEMENTS = 4,
       NODE_EXTRA = 4,
       VARIABLE_NAME = 1,
       VARIABLE_TYPE = 3,
       SUBPROGRAM_TYPE = 4,
       SUBROUTINE_TYPES = 3,
};

enum { POINTER_BYTES = 8 };

/* ---- nodes ------------------------------------------------------------------------------ */

static LLVMMetadataRef node_operand(struct pass *p, LLVMMetadataRef node, unsigned which)
{
    LLVMValueRef value = LLVMMetadataAsValue(p->ctx, node);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    if (which >= count)
        return NULL;
    LLVMValueRef few[32];
    LLVMValueRef *all = count <= 32 ? few : mem_get(count * sizeof *all);
    LLVMGetMDNodeOperands(value, all);
    LLVMValueRef found = all[which];
    if (all != few)
        free(all);
    return found ? LLVMValueAsMetadata(found) : NULL;
}

/* "" if there is none. */
static const char *node_text(struct pass *p, LLVMMetadataRef node, unsigned which)
{
    LLVMMetadataRef text = node_operand(p, node, which);
    if (!text || LLVMGetMetadataKind(text) != LLVMMDStringMetadataKind)
        return "";
    unsigned len;
    const char *at = LLVMGetMDString(LLVMMetadataAsValue(p->ctx, text), &len);
    return arena_text(&p->mem, at, len);
}

static unsigned tag_of(LLVMMetadataRef type)
{
    LLVMMetadataKind kind = LLVMGetMetadataKind(type);
    return kind == LLVMDICompositeTypeMetadataKind || kind == LLVMDIDerivedTypeMetadataKind
               ? LLVMGetDINodeTag(type)
               : 0;
}

/* Without names and qualifiers. */
static LLVMMetadataRef bare(struct pass *p, LLVMMetadataRef type)
{
    for (int depth = 0; type && depth < POINTER_DEPTH; depth++) {
        unsigned tag = tag_of(type);
        if (tag != TAG_TYPEDEF && tag != TAG_CONST && tag != TAG_VOLATILE &&
            tag != TAG_RESTRICT && tag != TAG_ATOMIC)
            return type;
        type = node_operand(p, type, NODE_BASE);
    }
    return NULL;
}

/* ---- from a type to what is at an offset in it ------------------------------------------ */

/* A thing in memory: its name so far, its type, and how far into it we are. */
struct place {
    const char *name; /* "" if unknown */
    LLVMMetadataRef type;
    uint64_t offset;
};

struct member {
    const char *name;
    LLVMMetadataRef type;
    uint64_t offset;
    bool found;
    bool fits; /* exactly as long as the access: of a union, the first such one is meant */
};

static bool is_bit_field(LLVMMetadataRef member)
{
    return (LLVMDITypeGetFlags(member) & LLVMDIFlagBitField) != 0;
}

/* Bit-fields that share bytes cannot be told apart: all of them are named. */
static void add_bit_field(struct pass *p, struct member *m, LLVMMetadataRef one)
{
    const char *name = node_text(p, one, NODE_NAME);
    struct str both = {0};
    str_add(&both, "%s%s%s", m->found ? m->name : "", m->found && *m->name ? "/" : "", name);
    m->name = arena_text(&p->mem, both.at, both.len);
    str_done(&both);
    m->type = NULL;
    m->found = true;
}

static void try_member(struct pass *p, LLVMMetadataRef one, uint64_t at, uint64_t bytes,
                       bool is_union, struct member *m)
{
    unsigned tag = LLVMGetMetadataKind(one) == LLVMDIDerivedTypeMetadataKind ? tag_of(one) : 0;
    if ((tag != TAG_MEMBER && tag != TAG_INHERITANCE) ||
        (LLVMDITypeGetFlags(one) & LLVMDIFlagStaticMember))
        return;
    uint64_t first = LLVMDITypeGetOffsetInBits(one);
    LLVMMetadataRef type = node_operand(p, one, NODE_BASE);
    LLVMMetadataRef plain = bare(p, type);
    uint64_t bits = LLVMDITypeGetSizeInBits(one);
    if (bits == 0 && plain)
        bits = LLVMDITypeGetSizeInBits(plain);
    if (is_bit_field(one)) {
        if (first < 8 * (at + bytes) && first + bits > 8 * at)
            add_bit_field(p, m, one);
        return;
    }
    if (8 * at < first || 8 * at >= first + bits)
        return;
    bool fits = bits == 8 * bytes;
    if (m->found && (!is_union || m->fits || !fits))
        return;
    *m = (struct member){.name = node_text(p, one, NODE_NAME),
                         .type = type,
                         .offset = at - first / 8,
                         .found = true,
                         .fits = fits};
}

static struct member find_member(struct pass *p, LLVMMetadataRef type, uint64_t at,
                                 uint64_t bytes)
{
    struct member m = {0};
    LLVMMetadataRef list = node_operand(p, type, NODE_ELEMENTS);
    if (!list)
        return m;
    LLVMValueRef value = LLVMMetadataAsValue(p->ctx, list);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    LLVMValueRef *all = mem_get((count + 1) * sizeof *all);
    LLVMGetMDNodeOperands(value, all);
    for (unsigned i = 0; i < count; i++)
        if (all[i])
            try_member(p, LLVMValueAsMetadata(all[i]), at, bytes, tag_of(type) == TAG_UNION,
                       &m);
    free(all);
    return m;
}

/* Goes as deep as the access is small. */
static void descend(struct pass *p, struct place *place, uint64_t bytes)
{
    for (int depth = 0; depth < POINTER_DEPTH; depth++) {
        LLVMMetadataRef type = place->type = bare(p, place->type);
        if (!type)
            return;
        unsigned tag = tag_of(type);
        uint64_t size = LLVMDITypeGetSizeInBits(type) / 8;
        if (tag == TAG_ARRAY) {
            place->type = bare(p, node_operand(p, type, NODE_BASE));
            uint64_t each = place->type ? LLVMDITypeGetSizeInBits(place->type) / 8 : 0;
            place->offset = each ? place->offset % each : 0;
            continue;
        }
        if ((tag != TAG_STRUCT && tag != TAG_CLASS && tag != TAG_UNION) ||
            (place->offset == 0 && (bytes == 0 || bytes >= size) && size > 8))
            return;
        struct member m = find_member(p, type, place->offset, bytes ? bytes : 1);
        if (!m.found)
            return;
        if (*m.name)
            place->name = m.name;
        place->type = m.type;
        place->offset = m.offset;
    }
}

/* ---- from an address to a thing in memory ----------------------------------------------- */

static LLVMMetadataRef variable_at(struct pass *p, const struct map *map, LLVMValueRef value)
{
    uint32_t index = map_find(map, key_of(value));
    return index == NONE ? NULL : p->variable.at[index];
}

static struct place place_of_variable(struct pass *p, LLVMMetadataRef variable)
{
    return (struct place){.name = node_text(p, variable, VARIABLE_NAME),
                          .type = node_operand(p, variable, VARIABLE_TYPE)};
}

const char *naming_global(struct pass *p, LLVMValueRef global)
{
    LLVMMetadataRef variable = variable_at(p, &p->places, global);
    const char *name = variable ? node_text(p, variable, VARIABLE_NAME) : "";
    size_t len;
    const char *symbol = LLVMGetValueName2(global, &len);
    return *name ? name : arena_text(&p->mem, symbol, len);
}

/* Bytes from the base to the element; what a variable index adds is left out, which stays in
 * the same array. */
static uint64_t constant_offset(struct pass *p, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    uint64_t sum = 0;
    unsigned count = (unsigned)LLVMGetNumOperands(gep);
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        bool is_known = LLVMIsAConstantInt(index) != NULL;
        int64_t at = is_known ? LLVMConstIntGetSExtValue(index) : 0;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            sum += LLVMOffsetOfElement(p->layout, type, (unsigned)at);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)at);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        if (LLVMTypeIsSized(type))
            sum += (uint64_t)(at * (int64_t)LLVMABISizeOfType(p->layout, type));
    }
    return sum;
}

static LLVMValueRef first_operand(LLVMValueRef value)
{
    return LLVMIsASelectInst(value) ? LLVMGetOperand(value, 1) : LLVMGetOperand(value, 0);
}

/* The type of what a call returns, if its function says so. */
static struct place result_of(struct pass *p, LLVMValueRef value)
{
    LLVMValueRef callee = LLVMIsACallInst(value) ? called_function(value) : NULL;
    LLVMMetadataRef subprogram = callee ? LLVMGetSubprogram(callee) : NULL;
    LLVMMetadataRef type = subprogram ? node_operand(p, subprogram, SUBPROGRAM_TYPE) : NULL;
    LLVMMetadataRef types = type ? node_operand(p, type, SUBROUTINE_TYPES) : NULL;
    return (struct place){.name = "", .type = types ? node_operand(p, types, 0) : NULL};
}

/* What a pointer of this name and type points to: "*p", unless a member's name follows. */
static struct place pointed_to(struct pass *p, struct place pointer)
{
    LLVMMetadataRef type = bare(p, pointer.type);
    unsigned tag = type ? tag_of(type) : 0;
    if (tag != TAG_POINTER && tag != TAG_REFERENCE && tag != TAG_RVALUE)
        return (struct place){.name = ""};
    struct place at = {.name = pointer.name, .type = node_operand(p, type, NODE_BASE)};
    if (*pointer.name && tag == TAG_POINTER) {
        struct str text = {0};
        str_add(&text, "*%s", pointer.name);
        at.name = arena_text(&p->mem, text.at, text.len);
        str_done(&text);
    }
    return at;
}

static bool is_gep(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

enum ask { ASK_VALUE, ASK_PLACE };

/* ASK_VALUE: what a value is called and what type it has, as the variable or the place it came
 * from says. ASK_PLACE: the same for the thing whose address it is. */
static struct place follow(struct pass *p, LLVMValueRef value, enum ask ask, int depth)
{
    struct place at = {.name = ""};
    LLVMMetadataRef variable =
        variable_at(p, ask == ASK_PLACE ? &p->places : &p->variables, value);
    if (variable)
        return place_of_variable(p, variable);
    if (ask == ASK_PLACE && LLVMIsAGlobalVariable(value))
        at.name = naming_global(p, value); /* of another unit: its symbol is all there is */
    if (depth == 0 || *at.name)
        return at;
    if (ask == ASK_PLACE && is_gep(value)) {
        at = follow(p, LLVMGetOperand(value, 0), ASK_PLACE, depth - 1);
        at.offset += constant_offset(p, value);
        return at;
    }
    if (ask == ASK_PLACE && LLVMIsACallInst(value) &&
        is_intrinsic(value, "llvm.threadlocal.address"))
        return follow(p, LLVMGetOperand(value, 0), ASK_PLACE, depth - 1);
    if (ask == ASK_PLACE)
        at = pointed_to(p, follow(p, value, ASK_VALUE, depth));
    if (at.type)
        return at;
    if (LLVMIsAPHINode(value) || LLVMIsASelectInst(value))
        return follow(p, first_operand(value), ask, depth - 1);
    if (ask == ASK_VALUE && LLVMIsALoadInst(value)) {
        at = follow(p, LLVMGetOperand(value, 0), ASK_PLACE, depth - 1);
        descend(p, &at, POINTER_BYTES);
        return at;
    }
    return ask == ASK_VALUE ? result_of(p, value) : at;
}

const char *naming_place(struct pass *p, LLVMValueRef address, uint64_t bytes)
{
    struct place place = follow(p, address, ASK_PLACE, POINTER_DEPTH);
    descend(p, &place, bytes);
    return place.name;
}

/* ---- learning --------------------------------------------------------------------------- */

/* A void pointer: what it points to has no names. */
static bool is_void_pointer(struct pass *p, LLVMMetadataRef variable)
{
    LLVMMetadataRef type = bare(p, place_of_variable(p, variable).type);
    return type && tag_of(type) == TAG_POINTER && !node_operand(p, type, NODE_BASE);
}

/* Of several variables with the same value the first counts that knows what it points to. */
static void learn(struct pass *p, struct map *map, LLVMValueRef value, LLVMMetadataRef variable)
{
    uint32_t *slot = map_at(map, key_of(value));
    if (*slot != NONE && !is_void_pointer(p, p->variable.at[*slot]))
        return;
    *slot = p->variable.len;
    vec_push(&p->variable, variable);
}

static void learn_intrinsic(struct pass *p, LLVMValueRef call)
{
    LLVMValueRef what = LLVMGetOperand(call, 0);
    if (LLVMGetValueKind(what) != LLVMMetadataAsValueValueKind)
        return;
    LLVMMetadataRef wrapped = LLVMValueAsMetadata(what);
    if (LLVMGetMetadataKind(wrapped) != LLVMLocalAsMetadataMetadataKind)
        return;
    LLVMValueRef value;
    LLVMGetMDNodeOperands(what, &value);
    LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
    if (LLVMIsAAllocaInst(value))
        learn(p, &p->places, value, variable);
    else if (is_intrinsic(call, "llvm.dbg.value"))
        learn(p, &p->variables, value, variable);
}

static void learn_global(struct pass *p, LLVMValueRef global)
{
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        if (LLVMValueMetadataEntriesGetKind(entries, i) == p->md_dbg &&
            LLVMGetMetadataKind(node) == LLVMDIGlobalVariableExpressionMetadataKind)
            learn(p, &p->places, global, LLVMDIGlobalVariableExpressionGetVariable(node));
    }
    LLVMDisposeValueMetadataEntries(entries);
}

void naming_learn(struct pass *p)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->mod); g; g = LLVMGetNextGlobal(g))
        learn_global(p, g);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsADbgVariableIntrinsic(i))
                    learn_intrinsic(p, i);
}

/* ---- functions, globals, positions ------------------------------------------------------ */

/* Classes and namespaces stand before the name. */
static void add_scoped(struct pass *p, LLVMMetadataRef scope, int depth, struct str *out)
{
    LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
    if (depth == 0 ||
        (kind != LLVMDISubprogramMetadataKind && kind != LLVMDICompositeTypeMetadataKind &&
         kind != LLVMDINamespaceMetadataKind))
        return;
    LLVMMetadataRef outer = node_operand(p, scope, NODE_SCOPE);
    const char *name = node_text(p, scope, NODE_NAME);
    bool is_lambda = outer && strncmp(name, "operator()", 10) == 0 &&
                     LLVMGetMetadataKind(outer) == LLVMDICompositeTypeMetadataKind &&
                     !*node_text(p, outer, NODE_NAME);
    if (is_lambda) { /* its class has no name, either */
        name = "(lambda)";
        outer = node_operand(p, outer, NODE_SCOPE);
    }
    if (outer)
        add_scoped(p, outer, depth - 1, out);
    str_add(out, "%s%s", out->len ? "::" : "", *name ? name : "(anonymous)");
}

const char *naming_function(struct pass *p, LLVMValueRef fn)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(fn);
    AUTO(str) struct str text = {0};
    if (subprogram && *node_text(p, subprogram, NODE_NAME))
        add_scoped(p, subprogram, POINTER_DEPTH, &text);
    size_t len;
    const char *symbol = LLVMGetValueName2(fn, &len);
    return text.len ? arena_text(&p->mem, text.at, text.len) : arena_text(&p->mem, symbol, len);
}

/* "_ZN7serviceD2Ev": with two kinds more, of what is deleted, and of whole objects. */
static bool is_end_symbol(LLVMValueRef fn)
{
    size_t len;
    const char *symbol = LLVMGetValueName2(fn, &len), *end = symbol + len;
    return len > 6 && memcmp(symbol, "_Z", 2) == 0 && memcmp(end - 2, "Ev", 2) == 0 &&
           end[-4] == 'D' && end[-3] >= '0' && end[-3] <= '2';
}

bool naming_is_end(struct pass *p, LLVMValueRef inst)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);
    if (loc)
        return *node_text(p, LLVMDILocationGetScope(loc), NODE_NAME) == '~';
    return is_end_symbol(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
}

/* As the compiler was told, from where it was started: what it split off is put back. */
static const char *file_of(struct pass *p, LLVMMetadataRef scope)
{
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    unsigned len, directory_len;
    const char *name = file ? LLVMDIFileGetFilename(file, &len) : NULL;
    if (!name)
        return p->opts->source;
    const char *directory = LLVMDIFileGetDirectory(file, &directory_len);
    char here[4096];
    bool is_whole =
        len == 0 || name[0] == '/' || directory_len == 0 || !getcwd(here, sizeof here) ||
        (strlen(here) == directory_len && memcmp(here, directory, directory_len) == 0);
    if (is_whole)
        return arena_text(&p->mem, name, len);
    AUTO(str) struct str path = {0};
    str_add(&path, "%.*s/%.*s", (int)directory_len, directory, (int)len, name);
    return arena_text(&p->mem, path.at, path.len);
}

void naming_position(struct pass *p, const struct op *op, struct site *site)
{
    LLVMMetadataRef loc = op->kind == OP_FUNCTION ? NULL : LLVMInstructionGetDebugLoc(op->inst);
    loc = loc ? users_location(loc) : NULL;
    LLVMMetadataRef scope = loc ? LLVMDILocationGetScope(loc) : NULL;
    if (loc) {
        site->line = LLVMDILocationGetLine(loc);
        site->column = LLVMDILocationGetColumn(loc);
    } else {
        LLVMMetadataRef variable =
            op->kind == OP_STACK ? variable_at(p, &p->places, op->inst) : NULL;
        scope = LLVMGetSubprogram(p->funcs.at[op->func].fn);
        if (variable)
            site->line = LLVMDIVariableGetLine(variable);
        else if (scope)
            site->line = LLVMDISubprogramGetLine(scope);
    }
    site->file = file_of(p, scope);
}
