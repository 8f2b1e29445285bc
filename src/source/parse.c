/* SPDX-License-Identifier: Apache-2.0
 *
 * parse: a unit's flat tree, from libclang's cursors. What stands in system headers is left
 * out. A node's bytes are those in the file that a person sees: what a macro stands for has
 * the bytes of the macro's use. */
#include "source/parse.h"
#include "source/section.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct visit {
    struct parse *p;
    node_id parent;
};

/* ---- files ------------------------------------------------------------------------------ */

static const char *full_path(struct parse *p, const char *name)
{
    char joined[PATH_MAX * 2], full[PATH_MAX];
    int len = name[0] == '/'
                  ? snprintf(joined, sizeof joined, "%s", name)
                  : snprintf(joined, sizeof joined, "%s/%s", p->opts->directory, name);
    if (len < (int)sizeof joined && realpath(joined, full))
        return arena_text(&p->u->mem, full, strlen(full));
    return arena_text(&p->u->mem, joined, strlen(joined));
}

static uint32_t add_file(struct parse *p, const char *path)
{
    for (uint32_t i = 0; i < p->u->files.len; i++)
        if (strcmp(p->u->files.at[i].path, path) == 0)
            return i;
    struct source_file f = {.path = path, .bytes = ARENA_NEW(&p->u->mem, struct bytes, 1)};
    struct err ignored;
    for (uint32_t i = 0; i < p->opts->change_count; i++)
        if (strcmp(path, full_path(p, p->opts->changes[i].path)) == 0)
            f.text = p->opts->changes[i].text;
    if (!f.text.at && bytes_read(f.bytes, path, &ignored) == 0)
        f.text = (struct text){(const char *)f.bytes->at, (uint32_t)f.bytes->len};
    vec_push(&p->u->files, f);
    return p->u->files.len - 1;
}

static uint32_t file_index(struct parse *p, CXFile file)
{
    uint32_t *slot = map_at(&p->files, (uint64_t)(uintptr_t)file);
    if (*slot == NONE) {
        CXString name = p->c->clang_getFileName(file);
        const char *text = p->c->clang_getCString(name);
        uint32_t index = add_file(p, full_path(p, text ? text : ""));
        p->c->clang_disposeString(name);
        *map_at(&p->files, (uint64_t)(uintptr_t)file) = index;
        return index;
    }
    return *slot;
}

/* ---- nodes ------------------------------------------------------------------------------ */

static const char *keep(struct parse *p, CXString s)
{
    const char *text = p->c->clang_getCString(s);
    const char *kept = text && *text ? arena_text(&p->u->mem, text, strlen(text)) : "";
    p->c->clang_disposeString(s);
    return kept;
}

static uint64_t place_key(struct parse *p, CXSourceLocation at)
{
    CXFile file;
    unsigned offset;
    p->c->clang_getExpansionLocation(at, &file, NULL, NULL, &offset);
    return file ? ((uint64_t)file_index(p, file) + 1) << 32 | offset : 0;
}

static bool has_type(enum node_kind kind)
{
    return kind == NODE_VARIABLE || kind == NODE_FIELD || kind == NODE_PARAMETER;
}

static void fill_declaration(struct parse *p, CXCursor at, struct node *n)
{
    if (has_type(n->kind))
        n->type = keep(p, p->c->clang_getTypeSpelling(p->c->clang_getCursorType(at)));
    if (n->kind == NODE_FUNCTION || n->kind == NODE_PROTOTYPE)
        n->type = keep(p, p->c->clang_getTypeSpelling(p->c->clang_getCursorResultType(at)));
    if (n->kind == NODE_VARIABLE || n->kind == NODE_FUNCTION) {
        enum CX_StorageClass storage = p->c->clang_Cursor_getStorageClass(at);
        n->is_static = storage == CX_SC_Static;
        enum CXLinkageKind linkage = p->c->clang_getCursorLinkage(at);
        n->is_global = n->kind == NODE_VARIABLE &&
                       (linkage == CXLinkage_Internal || linkage == CXLinkage_External ||
                        linkage == CXLinkage_UniqueExternal);
    }
}

/* Bytes and file; false: it has none, as what the compiler makes up. */
static bool find_bytes(struct parse *p, CXCursor at, struct node *n)
{
    CXSourceRange range = p->c->clang_getCursorExtent(at);
    CXFile from, to, spelled;
    unsigned start, end, spelled_at;
    p->c->clang_getExpansionLocation(p->c->clang_getRangeStart(range), &from, NULL, NULL,
                                     &start);
    p->c->clang_getExpansionLocation(p->c->clang_getRangeEnd(range), &to, NULL, NULL, &end);
    p->c->clang_getSpellingLocation(p->c->clang_getRangeStart(range), &spelled, NULL, NULL,
                                    &spelled_at);
    if (!from || from != to)
        return false;
    n->file = file_index(p, from);
    n->start = start;
    n->end = end;
    n->is_macro = spelled != from || spelled_at != start;
    return end >= start && end <= p->u->files.at[n->file].text.len;
}

static bool refers(enum node_kind kind)
{
    return kind == NODE_NAME || kind == NODE_MEMBER;
}

/* Place of the record that something of this type is of, one step away at most; 0: none. */
static uint64_t record_key(struct parse *p, CXType type, enum node_shape *shape)
{
    type = p->c->clang_getCanonicalType(type);
    *shape = SHAPE_VALUE;
    if (type.kind == CXType_Pointer)
        *shape = SHAPE_POINTER;
    else if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
        *shape = SHAPE_REFERENCE;
    else if (type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
             type.kind == CXType_IncompleteArray)
        *shape = SHAPE_ARRAY;
    if (*shape == SHAPE_ARRAY)
        type = p->c->clang_getArrayElementType(type);
    else if (*shape != SHAPE_VALUE)
        type = p->c->clang_getPointeeType(type);
    if (type.kind == CXType_Record)
        return place_key(p,
                         p->c->clang_getCursorLocation(p->c->clang_getTypeDeclaration(type)));
    return 0;
}

static uint64_t record_of(struct parse *p, CXCursor at, struct node *n)
{
    enum node_shape shape = SHAPE_NONE;
    uint64_t key = 0;
    if (has_type(n->kind) || n->kind == NODE_ASSIGN)
        key = record_key(p, p->c->clang_getCursorType(at), &shape);
    else if (n->kind == NODE_FUNCTION || n->kind == NODE_PROTOTYPE)
        key = record_key(p, p->c->clang_getCursorResultType(at), &shape);
    n->shape = (uint8_t)(key ? shape : SHAPE_NONE);
    return key;
}

static bool is_of_library(struct parse *p, CXCursor at, enum node_kind kind)
{
    if (!refers(kind))
        return false;
    CXSourceLocation place = p->c->clang_getCursorLocation(p->c->clang_getCursorReferenced(at));
    return p->c->clang_Location_isInSystemHeader(place);
}

static bool is_pointer(struct parse *p, CXCursor at)
{
    CXType type = p->c->clang_getCanonicalType(p->c->clang_getCursorType(at));
    return type.kind == CXType_Pointer;
}

/* Place of what it stands for; of the class, if it is a method. */
static uint64_t refer_key(struct parse *p, CXCursor at, const struct node *n)
{
    if (refers(n->kind))
        return place_key(p, p->c->clang_getCursorLocation(p->c->clang_getCursorReferenced(at)));
    if (n->kind != NODE_FUNCTION)
        return 0;
    CXCursor above = p->c->clang_getCursorSemanticParent(at);
    enum CXCursorKind kind = p->c->clang_getCursorKind(above);
    return kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl
               ? place_key(p, p->c->clang_getCursorLocation(above))
               : 0;
}

/* Others find it by its place. */
static bool is_found(struct parse *p, CXCursor at, enum node_kind kind)
{
    return has_type(kind) || kind == NODE_LABEL || kind == NODE_FUNCTION ||
           (kind == NODE_RECORD && p->c->clang_isCursorDefinition(at));
}

static enum CXChildVisitResult visit(CXCursor at, CXCursor above, CXClientData data)
{
    struct visit *v = data;
    struct parse *p = v->p;
    (void)above;
    if (v->parent == 0 &&
        p->c->clang_Location_isInSystemHeader(p->c->clang_getCursorLocation(at)))
        return CXChildVisit_Continue;
    struct node n = {.kind = (uint8_t)parse_kind(p->c, at),
                     .parent = v->parent,
                     .first = NONE,
                     .last = NONE,
                     .next = NONE,
                     .declared = NONE,
                     .record = NONE,
                     .name = "",
                     .type = ""};
    if (!find_bytes(p, at, &n))
        return CXChildVisit_Continue;
    n.name = keep(p, p->c->clang_getCursorSpelling(at));
    n.is_library = is_of_library(p, at, n.kind);
    fill_declaration(p, at, &n);
    node_id id = p->u->nodes.len;
    if (is_found(p, at, n.kind))
        *map_at(&p->declarations, place_key(p, p->c->clang_getCursorLocation(at))) = id;
    vec_push(&p->refers, refer_key(p, at, &n));
    vec_push(&p->records, record_of(p, at, &n));
    vec_push(&p->u->nodes, n);
    struct node *parent = &p->u->nodes.at[v->parent];
    if (parent->last == NONE)
        parent->first = id;
    else
        p->u->nodes.at[parent->last].next = id;
    parent->last = id;
    if (parent->kind == NODE_MEMBER && is_pointer(p, at))
        parent->is_arrow = true;
    struct visit inner = {p, id};
    p->c->clang_visitChildren(at, visit, &inner);
    return CXChildVisit_Continue;
}

static void resolve(struct parse *p)
{
    for (node_id i = 0; i < p->u->nodes.len; i++) {
        if (p->refers.at[i])
            p->u->nodes.at[i].declared = map_find(&p->declarations, p->refers.at[i]);
        if (p->records.at[i])
            p->u->nodes.at[i].record = map_find(&p->declarations, p->records.at[i]);
        if (p->u->nodes.at[i].record == NONE)
            p->u->nodes.at[i].shape = SHAPE_NONE;
    }
}

/* ---- the unit --------------------------------------------------------------------------- */

static int complain(struct parse *p, CXTranslationUnit tu, struct err *err)
{
    unsigned count = p->c->clang_getNumDiagnostics(tu);
    int failed = 0;
    for (unsigned i = 0; i < count && !failed; i++) {
        CXDiagnostic d = p->c->clang_getDiagnostic(tu, i);
        if (p->c->clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            CXString text = p->c->clang_formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation);
            failed = err_set(err, "%s", p->c->clang_getCString(text));
            p->c->clang_disposeString(text);
        }
        p->u->warnings += p->c->clang_getDiagnosticSeverity(d) == CXDiagnostic_Warning;
        p->c->clang_disposeDiagnostic(d);
    }
    return failed;
}

static int parse_unit(struct parse *p, CXIndex index, struct err *err)
{
    parse_args args = {0};
    parse_words(p, &args);
    const char *source = full_path(p, p->opts->source);
    VEC(struct CXUnsavedFile) unsaved = {0};
    for (uint32_t i = 0; i < p->opts->change_count; i++)
        vec_push(&unsaved, (struct CXUnsavedFile){.Filename = p->opts->changes[i].path,
                                                  .Contents = p->opts->changes[i].text.at,
                                                  .Length = p->opts->changes[i].text.len});
    CXTranslationUnit tu = NULL;
    enum CXErrorCode code = p->c->clang_parseTranslationUnit2(
        index, source, args.at, (int)args.len, unsaved.at, unsaved.len, 0, &tu);
    vec_done(&args);
    vec_done(&unsaved);
    if (code != CXError_Success)
        return err_set(err, "%s: libclang cannot read it (error %d)", p->opts->source, code);
    int failed = complain(p, tu, err);
    if (!failed) {
        add_file(p, source);
        vec_push(&p->u->nodes, (struct node){.kind = NODE_UNIT,
                                             .parent = NONE,
                                             .first = NONE,
                                             .last = NONE,
                                             .next = NONE,
                                             .declared = NONE,
                                             .record = NONE,
                                             .end = p->u->files.at[0].text.len,
                                             .name = "",
                                             .type = ""});
        vec_push(&p->refers, 0);
        vec_push(&p->records, 0);
        struct visit v = {p, 0};
        p->c->clang_visitChildren(p->c->clang_getTranslationUnitCursor(tu), visit, &v);
        resolve(p);
    }
    p->c->clang_disposeTranslationUnit(tu);
    return failed;
}

int unit_open(struct unit *out, const struct unit_opts *opts, struct err *err)
{
    struct unit u = {0};
    struct parse p = {.u = &u, .opts = opts};
    if (clang_load(&p.c, err) < 0)
        return -1;
    CXIndex index = p.c->clang_createIndex(0, 0);
    int failed = parse_unit(&p, index, err);
    p.c->clang_disposeIndex(index);
    map_done(&p.files);
    map_done(&p.declarations);
    vec_done(&p.refers);
    vec_done(&p.records);
    if (failed)
        unit_close(&u);
    else {
        wrappers_find(&u);
        own_guards_find(&u);
    }
    *out = failed ? (struct unit){0} : u;
    return failed;
}

void unit_close(struct unit *u)
{
    for (uint32_t i = 0; i < u->files.len; i++)
        bytes_done(u->files.at[i].bytes);
    vec_done(&u->files);
    vec_done(&u->nodes);
    vec_done(&u->inserts);
    vec_done(&u->wrappers);
    vec_done(&u->guards);
    arena_done(&u->mem);
}
