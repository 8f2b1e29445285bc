/* SPDX-License-Identifier: Apache-2.0
 *
 * clang: libclang's functions, found when they are first needed. */
#ifndef SOURCE_CLANG_H
#define SOURCE_CLANG_H

#include "base/err.h"

#include <clang-c/Index.h>

#define CLANG_FUNCTIONS(F)               \
    F(clang_createIndex)                 \
    F(clang_disposeIndex)                \
    F(clang_parseTranslationUnit2)       \
    F(clang_disposeTranslationUnit)      \
    F(clang_getTranslationUnitCursor)    \
    F(clang_getNumDiagnostics)           \
    F(clang_getDiagnostic)               \
    F(clang_getDiagnosticSeverity)       \
    F(clang_formatDiagnostic)            \
    F(clang_disposeDiagnostic)           \
    F(clang_getCString)                  \
    F(clang_disposeString)               \
    F(clang_visitChildren)               \
    F(clang_getCursorLocation)           \
    F(clang_Location_isInSystemHeader)   \
    F(clang_getCursorExtent)             \
    F(clang_getRangeStart)               \
    F(clang_getRangeEnd)                 \
    F(clang_getExpansionLocation)        \
    F(clang_getSpellingLocation)         \
    F(clang_getFileName)                 \
    F(clang_getCursorKind)               \
    F(clang_getCursorSpelling)           \
    F(clang_getCursorType)               \
    F(clang_getTypeSpelling)             \
    F(clang_getCanonicalType)            \
    F(clang_getPointeeType)              \
    F(clang_getArrayElementType)         \
    F(clang_getTypeDeclaration)          \
    F(clang_getCursorResultType)         \
    F(clang_getCursorReferenced)         \
    F(clang_isCursorDefinition)          \
    F(clang_getCursorLinkage)            \
    F(clang_Cursor_getStorageClass)      \
    F(clang_getCursorSemanticParent)     \
    F(clang_getCursorUnaryOperatorKind)  \
    F(clang_getCursorBinaryOperatorKind) \
    F(clang_Cursor_isNull)

#define F(name) __typeof__(&name) name;
struct clang {
    CLANG_FUNCTIONS(F)
};
#undef F

/* -1: it is not installed. */
int clang_load(const struct clang **out, struct err *err);

#endif
