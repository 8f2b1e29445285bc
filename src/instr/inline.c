/* SPDX-License-Identifier: Apache-2.0
 *
 * inline: small functions of system headers become part of the code that calls them. In C++ a
 * lock is taken deep in the headers of the library: instrumented there, all locks of a program
 * would be taken at one place in the source, and what the wrappers keep in memory and branch on
 * would count as what the program depends on. Inlined, the place is the user's line, and the
 * wrappers' locals become values. */
#include "instr/pass.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    OWN_MAX = 80,    /* instructions of a function ... */
    TOTAL_MAX = 200, /* ... and with those that are inlined into it */
    TOO_LARGE = TOTAL_MAX + 1,
    UNDER_WAY = TOTAL_MAX + 2,
};

static bool file_is_system(LLVMMetadataRef scope)
{
    unsigned len = 0;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *name = file ? LLVMDIFileGetFilename(file, &len) : NULL;
    return name && ((len > 13 && memcmp(name, "/usr/include/", 13) == 0) ||
                    (len > 9 && memcmp(name, "/usr/lib/", 9) == 0));
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

void inline_mark(struct pass *p)
{
    struct map sizes = {0};
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(p->ctx, kind, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->mod); f; f = LLVMGetNextFunction(f))
        if (is_candidate(f) && size_of(&sizes, f) <= TOTAL_MAX)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    attribute);
    map_done(&sizes);
}
