/* SPDX-License-Identifier: Apache-2.0
 *
 * units-read: the modules of a program, and which instruction each site is. */
#include "ir/bitcode.h"

#include "heddle/bitcode.h"

#include <llvm-c/BitReader.h>
#include <stdlib.h>
#include <string.h>

/* ---- sites ------------------------------------------------------------------------------- */

static const char *file_of(struct ir *ir, LLVMMetadataRef scope)
{
    unsigned len;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *name = file ? LLVMDIFileGetFilename(file, &len) : NULL;
    return name ? arena_text(&ir->mem, name, len) : "";
}

static void add_place(struct ir *ir, struct unit *u, uint32_t ordinal, LLVMValueRef v)
{
    struct place p = {.at = v};
    LLVMMetadataRef loc = LLVMIsAInstruction(v) ? LLVMInstructionGetDebugLoc(v) : NULL;
    LLVMMetadataRef scope = NULL;
    if (loc) {
        scope = LLVMDILocationGetScope(loc);
        p.line = LLVMDILocationGetLine(loc);
        p.column = LLVMDILocationGetColumn(loc);
    } else if (LLVMIsAFunction(v)) {
        scope = LLVMGetSubprogram(v);
        p.line = scope ? LLVMDISubprogramGetLine(scope) : 0;
    }
    p.file = file_of(ir, scope);
    while (u->count <= ordinal) {
        vec_push(&ir->places, (struct place){0});
        u->count++;
    }
    ir->places.at[u->first + ordinal] = p;
    *map_at(&ir->by_value, key_of(v)) = u->first + ordinal;
}

static uint32_t ordinal_in(LLVMValueRef node)
{
    LLVMValueRef operand;
    if (!node || !LLVMIsAMDNode(node) || LLVMGetMDNodeNumOperands(node) != 1)
        return NONE;
    LLVMGetMDNodeOperands(node, &operand);
    return operand && LLVMIsAConstantInt(operand) ? (uint32_t)LLVMConstIntGetZExtValue(operand)
                                                  : NONE;
}

static uint32_t ordinal_of_function(const struct ir *ir, LLVMValueRef fn)
{
    size_t count;
    uint32_t found = NONE;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(fn, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMValueMetadataEntriesGetKind(all, (unsigned)i) == ir->md_site)
            found = ordinal_in(LLVMMetadataAsValue(
                ir->ctx, LLVMValueMetadataEntriesGetMetadata(all, (unsigned)i)));
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

enum { ORDINALS_MAX = 1 << 24 };

static void find_places(struct ir *ir, struct unit *u)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(u->mod); f; f = LLVMGetNextFunction(f)) {
        uint32_t own = ordinal_of_function(ir, f);
        if (own < ORDINALS_MAX)
            add_place(ir, u, own, f);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i)) {
                uint32_t ordinal = ordinal_in(LLVMGetMetadata(i, ir->md_site));
                if (ordinal < ORDINALS_MAX)
                    add_place(ir, u, ordinal, i);
            }
    }
}

static bool is_file(const struct def_site *site, const char *file)
{
    size_t len = strlen(file);
    return len <= site->file.len &&
           memcmp(site->file.at + site->file.len - len, file, len) == 0;
}

/* A site in code that was inlined from a header of the system stands for the user's line. */
static bool is_caller(struct ir *ir, LLVMValueRef inst, const struct def_site *site)
{
    LLVMMetadataRef loc = LLVMIsAInstruction(inst) ? LLVMInstructionGetDebugLoc(inst) : NULL;
    while (loc && (loc = LLVMDILocationGetInlinedAt(loc)))
        if (LLVMDILocationGetLine(loc) == site->line &&
            (uint16_t)LLVMDILocationGetColumn(loc) == site->column &&
            is_file(site, file_of(ir, LLVMDILocationGetScope(loc))))
            return true;
    return false;
}

bool place_fits(struct ir *ir, const struct place *p, const struct def_site *site)
{
    if (!p->at)
        return false;
    if (p->line == 0)
        return true; /* says nothing: a local that is made */
    return (p->line == site->line && (uint16_t)p->column == site->column &&
            is_file(site, p->file)) ||
           is_caller(ir, p->at, site);
}

ir_place place_of(const struct ir *ir, LLVMValueRef v)
{
    return map_find(&ir->by_value, key_of(v));
}

ir_place ir_find(struct ir *ir, const struct def_site *site)
{
    for (uint32_t i = 0; i < ir->units.len; i++) {
        const struct unit *u = &ir->units.at[i];
        if (site->ordinal < u->count &&
            place_fits(ir, &ir->places.at[u->first + site->ordinal], site))
            return u->first + site->ordinal;
    }
    return NONE;
}

ir_place ir_find_line(const struct ir *ir, const char *file, uint32_t line)
{
    for (uint32_t i = 0; i < ir->places.len; i++) {
        const struct place *p = &ir->places.at[i];
        size_t len = p->at ? strlen(p->file) : 0, want = strlen(file);
        if (len && p->line == line && len >= want &&
            strcmp(p->file + (len - want), file) == 0 && !LLVMIsAFunction(p->at))
            return i;
    }
    return NONE;
}

/* ---- functions --------------------------------------------------------------------------- */

static bool is_local(LLVMValueRef fn)
{
    LLVMLinkage linkage = LLVMGetLinkage(fn);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static void find_functions(struct ir *ir, const struct unit *u)
{
    size_t len;
    for (LLVMValueRef f = LLVMGetFirstFunction(u->mod); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || is_local(f) ||
            LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
            continue;
        const char *name = LLVMGetValueName2(f, &len);
        uint32_t *slot = map_at(&ir->defined, hash_bytes(name, len));
        if (*slot == NONE) {
            *slot = ir->functions.len;
            vec_push(&ir->functions, f);
        }
    }
}

LLVMValueRef function_body(const struct ir *ir, LLVMValueRef fn)
{
    size_t len;
    if (!LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) != LLVMAvailableExternallyLinkage)
        return fn;
    const char *name = LLVMGetValueName2(fn, &len);
    uint32_t at = map_find(&ir->defined, hash_bytes(name, len));
    return at == NONE ? NULL : ir->functions.at[at];
}

const struct unit *unit_of_function(const struct ir *ir, LLVMValueRef fn)
{
    return &ir->units.at[map_find(&ir->unit_of, key_of(LLVMGetGlobalParent(fn)))];
}

bool ir_initial(const struct ir *ir, uint64_t addr, unsigned size, uint64_t *out)
{
    for (uint32_t i = 0; i < ir->images.len; i++)
        if (image_initial(&ir->images.at[i], addr, size, out))
            return true;
    return false;
}

/* ---- open -------------------------------------------------------------------------------- */

static int add_unit(struct ir *ir, uint32_t image, const uint8_t *packed, uint64_t len,
                    struct err *err)
{
    AUTO(bytes) struct bytes plain = {0};
    if (bytes_new(&plain, len, err) < 0)
        return -1;
    memcpy((uint8_t *)(uintptr_t)plain.at, packed, len);
    if (bytes_unpack(&plain, err) < 0)
        return -1;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        (const char *)plain.at, plain.len, "heddle_bitcode");
    struct unit u = {.image = image, .first = ir->places.len};
    int failed = LLVMParseBitcodeInContext2(ir->ctx, buffer, &u.mod);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed)
        return err_set(err, "the bitcode of unit %u cannot be read", ir->units.len);
    size_t source_len;
    const char *source = LLVMGetSourceFileName(u.mod, &source_len);
    u.source = arena_text(&ir->mem, source, source_len);
    u.layout = LLVMGetModuleDataLayout(u.mod);
    find_places(ir, &u);
    find_functions(ir, &u);
    *map_at(&ir->unit_of, key_of(u.mod)) = ir->units.len;
    vec_push(&ir->units, u);
    return 0;
}

static int add_units(struct ir *ir, uint32_t image, struct err *err)
{
    const uint8_t *at;
    uint64_t len;
    if (!image_section(&ir->images.at[image], BITCODE_SECTION, &at, &len))
        return 0;
    while (len >= sizeof(struct bitcode_frame)) {
        struct bitcode_frame frame;
        memcpy(&frame, at, sizeof frame);
        if (frame.magic != BITCODE_MAGIC || frame.packed_bytes > len - sizeof frame)
            return err_set(err, "its bitcode is broken");
        if (add_unit(ir, image, at + sizeof frame, frame.packed_bytes, err) < 0)
            return -1;
        uint64_t used = (sizeof frame + frame.packed_bytes + 7) & ~7ULL;
        if (used >= len)
            break;
        at += used;
        len -= used;
    }
    return 0;
}

int add_image(struct ir *ir, const char *path, struct err *err)
{
    struct image im;
    if (image_open(&im, path, err) < 0)
        return -1;
    im.path = arena_text(&ir->mem, path, strlen(path));
    vec_push(&ir->images, im);
    if (add_units(ir, ir->images.len - 1, err) < 0)
        return err_in(err, "%s", path);
    return 0;
}

/* ---- open and close --------------------------------------------------------------------- */

int ir_open(struct ir **out, const char *program, struct err *err)
{
    if (ir_load(err) < 0)
        return -1;
    struct ir *ir = mem_zeroed(1, sizeof *ir);
    ir->ctx = LLVMContextCreate();
    ir->md_site = LLVMGetMDKindIDInContext(ir->ctx, "heddle.site", 11);
    int failed = add_image(ir, program, err);
    if (failed == 0 && ir->units.len == 0)
        failed = err_set(err, "%s: it was not built by heddle cc: no bitcode", program);
    if (failed < 0) {
        ir_close(ir);
        return -1;
    }
    add_objects(ir);
    *out = ir;
    return 0;
}

void ir_close(struct ir *ir)
{
    if (!ir)
        return;
    reach_free(ir->reach);
    for (uint32_t i = 0; i < ir->units.len; i++)
        LLVMDisposeModule(ir->units.at[i].mod);
    LLVMContextDispose(ir->ctx);
    for (uint32_t i = 0; i < ir->images.len; i++)
        image_close(&ir->images.at[i]);
    vec_done(&ir->images);
    vec_done(&ir->units);
    vec_done(&ir->places);
    vec_done(&ir->functions);
    map_done(&ir->by_value);
    map_done(&ir->unit_of);
    map_done(&ir->defined);
    arena_done(&ir->mem);
    free(ir);
}
