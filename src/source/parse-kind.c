/* SPDX-License-Identifier: Apache-2.0
 *
 * parse-kind: which of our kinds a cursor of libclang is. */
#include "source/parse.h"

/* By libclang's kind; what is not here is an expression without a part of its own. */
static const struct {
    enum CXCursorKind cursor;
    enum node_kind kind;
} kinds[] = {
    {CXCursor_FunctionDecl, NODE_FUNCTION},
    {CXCursor_CXXMethod, NODE_FUNCTION},
    {CXCursor_Constructor, NODE_FUNCTION},
    {CXCursor_Destructor, NODE_FUNCTION},
    {CXCursor_ConversionFunction, NODE_FUNCTION},
    {CXCursor_FunctionTemplate, NODE_FUNCTION},
    {CXCursor_StructDecl, NODE_RECORD},
    {CXCursor_UnionDecl, NODE_RECORD},
    {CXCursor_ClassDecl, NODE_RECORD},
    {CXCursor_ClassTemplate, NODE_RECORD},
    {CXCursor_FieldDecl, NODE_FIELD},
    {CXCursor_VarDecl, NODE_VARIABLE},
    {CXCursor_ParmDecl, NODE_PARAMETER},
    {CXCursor_CompoundStmt, NODE_COMPOUND},
    {CXCursor_IfStmt, NODE_IF},
    {CXCursor_WhileStmt, NODE_WHILE},
    {CXCursor_DoStmt, NODE_DO},
    {CXCursor_ForStmt, NODE_FOR},
    {CXCursor_CXXForRangeStmt, NODE_FOR},
    {CXCursor_SwitchStmt, NODE_SWITCH},
    {CXCursor_CaseStmt, NODE_CASE},
    {CXCursor_DefaultStmt, NODE_CASE},
    {CXCursor_LabelStmt, NODE_LABEL},
    {CXCursor_GotoStmt, NODE_GOTO},
    {CXCursor_IndirectGotoStmt, NODE_LEAP},
    {CXCursor_BreakStmt, NODE_BREAK},
    {CXCursor_ContinueStmt, NODE_CONTINUE},
    {CXCursor_ReturnStmt, NODE_RETURN},
    {CXCursor_NullStmt, NODE_NULL},
    {CXCursor_DeclStmt, NODE_DECLARATION},
    {CXCursor_CallExpr, NODE_CALL},
    {CXCursor_DeclRefExpr, NODE_NAME},
    {CXCursor_LabelRef, NODE_NAME},
    {CXCursor_MemberRefExpr, NODE_MEMBER},
    {CXCursor_ArraySubscriptExpr, NODE_INDEX},
    {CXCursor_BinaryOperator, NODE_BINARY},
    {CXCursor_CompoundAssignOperator, NODE_ASSIGN},
    {CXCursor_StmtExpr, NODE_BLOCK_VALUE},
    {CXCursor_CXXTryStmt, NODE_TRY},
    {CXCursor_CXXThrowExpr, NODE_THROW},
    {CXCursor_LambdaExpr, NODE_LAMBDA},
};

static enum node_kind unary_kind(const struct clang *c, CXCursor at)
{
    switch (c->clang_getCursorUnaryOperatorKind(at)) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return NODE_STEP;
    case CXUnaryOperator_AddrOf:
        return NODE_TAKE;
    case CXUnaryOperator_Deref:
        return NODE_DEREF;
    default:
        return NODE_OTHER;
    }
}

enum node_kind parse_kind(const struct clang *c, CXCursor at)
{
    enum CXCursorKind cursor = c->clang_getCursorKind(at);
    enum node_kind kind = NODE_OTHER;
    if (cursor == CXCursor_UnaryOperator)
        return unary_kind(c, at);
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].cursor == cursor)
            kind = kinds[i].kind;
    if (kind == NODE_FUNCTION && !c->clang_isCursorDefinition(at))
        return NODE_PROTOTYPE;
    if (kind == NODE_BINARY &&
        c->clang_getCursorBinaryOperatorKind(at) == CXBinaryOperator_Assign)
        return NODE_ASSIGN;
    return kind;
}
