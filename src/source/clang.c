/* SPDX-License-Identifier: Apache-2.0
 *
 * clang: loads libclang once. The names are those of Debian's libclang1-19, and what the
 * development package calls it. */
#include "source/clang.h"

#include <dlfcn.h>
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {"libclang-19.so.19", "libclang-19.so.1", "libclang-19.so",
                                    "libclang.so.19"};

static const char *const functions[] = {
#define F(name) #name,
    CLANG_FUNCTIONS(F)
#undef F
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

int clang_load(const struct clang **out, struct err *err)
{
    static struct clang clang;
    static bool is_loaded;
    if (is_loaded) {
        *out = &clang;
        return 0;
    }
    void *library = NULL;
    for (unsigned i = 0; i < sizeof names / sizeof names[0] && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_set(err, "libclang 19 is needed to change source: install libclang1-19");
    void *found[FUNCTION_COUNT];
    for (unsigned i = 0; i < FUNCTION_COUNT; i++)
        if (!(found[i] = dlsym(library, functions[i])))
            return err_set(err, "libclang 19 has no %s", functions[i]);
    static_assert(sizeof found == sizeof clang, "one pointer per function");
    memcpy(&clang, found, sizeof clang);
    is_loaded = true;
    *out = &clang;
    return 0;
}
