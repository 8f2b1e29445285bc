/* SPDX-License-Identifier: Apache-2.0
 *
 * llvm: loads LLVM when bitcode is first looked at. */
#include "ir/ir.h"

#include "base/library.h"

#define FN LIBRARY_STUB
#include "llvm.def"
#undef FN

static const struct library_function functions[] = {
#define FN LIBRARY_ROW
#include "llvm.def"
};

/* As Debian calls it, and where this LLVM was when we were built. */
static const char *const files[] = {"libLLVM.so.19.1",
                                    LLVM_LIBRARIES "/libLLVM.so.19.1",
                                    "libLLVM-19.so.1",
                                    LLVM_LIBRARIES "/libLLVM-19.so.1",
                                    "libLLVM-19.so",
                                    LLVM_LIBRARIES "/libLLVM-19.so",
                                    NULL};

int ir_load(struct err *err)
{
    static struct library llvm = {
        .files = files,
        .functions = functions,
        .count = sizeof functions / sizeof functions[0],
        .missing = "LLVM 19 is needed to read and write bitcode: install libllvm19",
    };
    return library_load(&llvm, err);
}
