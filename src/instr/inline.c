/* SPDX-License-Identifier: Apache-2.0
 *
 * inline: functions of system headers become part of the code that calls them. In C++ a lock is
 * taken deep in the headers of the library: instrumented there, all locks of a program would be
 * taken at one place in the source, and what the wrappers keep in memory and branch on would
 * count as what the program depends on. Inlined, the place is the user's line, and the
 * wrappers' locals become values.
 *
 * Small ones always do. Larger ones (a container that grows, a tree that is put in balance) do
 * from the user's code inwards, as long as the code does not grow by more than half. */
#include "instr/pass.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    OWN_MAX = 80,    /* instructions of a function ... */
    TOTAL_MAX = 200, /* ... and with those that are inlined into it */
    TOO_LARGE = TOTAL_MAX + 1,
    UNDER_WAY = TOTAL_MAX + 2,
    GROWTH_MIN = 8000, /* instructions by which code may grow at least */
    DEPTH_MAX = 12,    /* of large ones in each other */
    SMALL_MAX = 40,    /* in what stays a function of a header, no more than that */
};

static bool file_is_system(LLVMMetadataRef scope)
{
    unsigned len = 0;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *name = file ? LLVMDIFileGetFilename(file, &len) : NULL;
    return name && ((len > 13 && memcmp(name, "/usr/include/", 13) == 0) ||
                    (len > 9 && memcmp(name, "/usr/lib/", 9) == 0) ||
                    memmem(name, len, "/bits/heddle-", 13));
}

LLVMMetadataRef users_location(LLVMMetadataRef loc)
{
    LLVMMetadataRef outer = loc;
    while (outer && file_is_system(LLVMDILocationGetScope(loc)))
        if ((outer = LLVMDILocationGetInlinedAt(loc)))
            loc = outer;
    return loc;
}

static bool has_attribute(LLVMValueRef fn, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMGetEnumAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       kind);
}

static bool is_candidate(LLVMValueRef fn)
{
    return LLVMIsAFunction(fn) && !LLVMIsDeclaration(fn) &&
           file_is_system(LLVMGetSubprogram(fn)) && !has_attribute(fn, "noinline") &&
           !has_attribute(fn, "optnone") && !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn));
}

static bool is_call(LLVMValueRef inst)
{
    return LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst);
}

/* How large it is with what is inlined into it. A function that comes back to itself, and one
 * that is too large, stays what it is. */
static uint32_t size_of(struct map *sizes, LLVMValueRef fn)
{
    uint64_t key = (uintptr_t)fn;
    uint32_t own = 0, total = 0, known = map_find(sizes, key);
    if (known != NONE)
        return known;
    *map_at(sizes, key) = UNDER_WAY;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = is_call(i) ? LLVMGetCalledValue(i) : NULL;
            uint32_t inner = callee && is_candidate(callee) ? size_of(sizes, callee) : 0;
            own++;
            total += inner <= TOTAL_MAX ? inner + 1 : 1;
            if (inner == UNDER_WAY)
                own = OWN_MAX + 1;
        }
    uint32_t size = own > OWN_MAX || total > TOTAL_MAX ? TOO_LARGE : total;
    *map_at(sizes, key) = size;
    return size;
}

/* ---- large ones ------------------------------------------------------------------------- */

struct large {
    LLVMValueRef fn;
    uint64_t cost;   /* instructions of all its copies */
    bool comes_back; /* to itself */
};

struct expansion {
    struct map *sizes;
    struct map index;        /* function -> found */
    VEC(struct large) found; /* callers before those that they call */
    LLVMValueRef path[DEPTH_MAX];
    uint64_t cost, cost_max;
};

static uint64_t instructions_of(struct map *sizes, LLVMValueRef fn)
{
    uint64_t count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = is_call(i) ? LLVMGetCalledValue(i) : NULL;
            uint32_t inner = callee && is_candidate(callee) ? size_of(sizes, callee) : 0;
            count += inner <= TOTAL_MAX ? inner + 1 : 1;
        }
    return count;
}

static struct large *meet(struct expansion *x, LLVMValueRef fn)
{
    uint32_t *at = map_at(&x->index, (uintptr_t)fn);
    if (*at == NONE) {
        *at = x->found.len;
        vec_push(&x->found, (struct large){.fn = fn});
    }
    return &x->found.at[*at];
}

/* What the code of fn would come to if all calls in it became copies. */
static void expand(struct expansion *x, LLVMValueRef fn, uint32_t depth)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = is_call(i) ? LLVMGetCalledValue(i) : NULL;
            if (!callee || !is_candidate(callee) || x->cost > x->cost_max)
                continue;
            struct large *l = meet(x, callee);
            for (uint32_t k = 0; k < depth; k++)
                l->comes_back |= x->path[k] == callee;
            if (l->comes_back || depth == DEPTH_MAX)
                continue;
            if (size_of(x->sizes, callee) > TOTAL_MAX) {
                uint64_t own = instructions_of(x->sizes, callee);
                l->cost += own;
                x->cost += own;
            }
            x->path[depth] = callee;
            expand(x, callee, depth + 1);
        }
}

static void mark(struct pass *p, LLVMValueRef fn)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(p->ctx, kind, 0));
}

static void mark_large(struct pass *p, struct map *sizes)
{
    struct expansion x = {.sizes = sizes};
    uint64_t code = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        code += instructions_of(sizes, f);
    uint64_t left = code / 2 > GROWTH_MIN ? code / 2 : GROWTH_MIN;
    x.cost_max = 4 * left;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (!is_candidate(f))
            expand(&x, f, 0);
    for (uint32_t i = 0; i < x.found.len; i++) {
        const struct large *l = &x.found.at[i];
        if (l->cost == 0 || l->comes_back || l->cost > left)
            continue;
        left -= l->cost;
        mark(p, l->fn);
    }
    vec_done(&x.found);
    map_done(&x.index);
}

/* A function of a header that stays one keeps its own places: what is larger than a few
 * accesses to what it is given is only called there. Templates that call each other (regular
 * expressions) would come to ten times their size. */
static void keep_calls(struct pass *p, struct map *sizes, LLVMValueRef fn)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = is_call(i) ? LLVMGetCalledValue(i) : NULL;
            if (callee && is_candidate(callee) && size_of(sizes, callee) > SMALL_MAX)
                LLVMAddCallSiteAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                         LLVMCreateEnumAttribute(p->ctx, kind, 0));
        }
}

void inline_mark(struct pass *p)
{
    struct map sizes = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (is_candidate(f) && size_of(&sizes, f) <= TOTAL_MAX)
            mark(p, f);
    mark_large(p, &sizes);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (is_candidate(f) && !has_attribute(f, "alwaysinline"))
            keep_calls(p, &sizes, f);
    map_done(&sizes);
}
