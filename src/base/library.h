/* SPDX-License-Identifier: Apache-2.0
 *
 * library: shared libraries that are loaded when they are first needed. Linking LLVM and Z3
 * takes 16 ms at every start, and most commands need neither.
 *
 * A list of their functions has one row FN(name) for each that is called. LIBRARY_STUB makes a
 * function of that name which jumps to where its slot points, and LIBRARY_ROW the row that the
 * loader fills: the callers are as if linked with the library. A function that is called and
 * not in the list is undefined, and the linker says so. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct library_function {
    const char *name;
    void **slot;
};

struct library {
    const char *const *files; /* names to try; NULL ends */
    const struct library_function *functions;
    uint32_t count;
    const char *missing; /* what to say if none of the files is there */
    bool is_loaded;
};

/* Does nothing the second time. */
int library_load(struct library *l, struct err *err);

/* A stub that is called before its library was loaded ends here. */
_Noreturn void library_not_loaded(void);

#ifdef __x86_64__
#define LIBRARY_JUMP(slot) "jmp *" slot "(%rip)\n"
#else
#error "LIBRARY_JUMP: how to jump to where a variable points is not written for this processor"
#endif

#define LIBRARY_STUB(name)                                                        \
    void *slot_##name __attribute__((visibility("hidden"))) = library_not_loaded; \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name         \
            ":\n" LIBRARY_JUMP("slot_" #name) ".size " #name ", . - " #name "\n");
#define LIBRARY_ROW(name) {#name, &slot_##name},

#endif
