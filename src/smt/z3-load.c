/* SPDX-License-Identifier: Apache-2.0
 *
 * z3-load: loads Z3 when it is first asked. */
#include "smt/z3-load.h"

#include "base/library.h"

#define FN LIBRARY_STUB
#include "z3.def"
#undef FN

static const struct library_function functions[] = {
#define FN LIBRARY_ROW
#include "z3.def"
};

static const char *const files[] = {"libz3.so.4", "libz3.so", NULL};

int z3_load(struct err *err)
{
    static struct library z3 = {
        .files = files,
        .functions = functions,
        .count = sizeof functions / sizeof functions[0],
        .missing = "Z3 is needed for this solver: install libz3-4",
    };
    return library_load(&z3, err);
}
