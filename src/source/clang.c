/* SPDX-License-Identifier: Apache-2.0
 *
 * clang: loads libclang once. The names are those of Debian's libclang1-19, and what the
 * development package calls it. */
#include "source/clang.h"

#include "base/library.h"

#include <assert.h>
#include <string.h>

static const char *const files[] = {"libclang-19.so.19", "libclang-19.so.1", "libclang-19.so",
                                    "libclang.so.19", NULL};

enum {
#define F(name) AT_##name,
    CLANG_FUNCTIONS(F)
#undef F
        FUNCTION_COUNT
};
static void *found[FUNCTION_COUNT];

static const struct library_function functions[] = {
#define F(name) {#name, &found[AT_##name]},
    CLANG_FUNCTIONS(F)
#undef F
};

int clang_load(const struct clang **out, struct err *err)
{
    static struct clang clang;
    static struct library library = {
        .files = files,
        .functions = functions,
        .count = FUNCTION_COUNT,
        .missing = "libclang 19 is needed to change source: install libclang1-19",
    };
    if (library_load(&library, err) < 0)
        return -1;
    static_assert(sizeof found == sizeof clang, "one pointer per function");
    memcpy(&clang, found, sizeof clang);
    *out = &clang;
    return 0;
}
