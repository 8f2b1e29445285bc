/* SPDX-License-Identifier: Apache-2.0
 *
 * described: what compiled functions of the C and C++ libraries do to memory, from two tables
 * (libc.def, libstdcxx.def): the pass announces it where they are called. Only functions that
 * guard nothing by locks of their own are there, and only what they do always, or what can be
 * seen behind the call. */
#include "instr/pass.h"

#include <string.h>

struct described {
    const char *name, *accesses;
};

static const struct described libc_text[] = {
#define LIBC(name, accesses) {name, accesses},
#define CALLED(name, accesses)
#define NOTHING(name)
#include "instr/libc.def"
#undef LIBC
#undef CALLED
#undef NOTHING
};

static const struct described cxx_text[] = {
#define CXX(name, accesses) {name, accesses},
#include "instr/libstdcxx.def"
#undef CXX
};

enum {
    LIBC_COUNT = sizeof libc_text / sizeof libc_text[0],
    CXX_COUNT = sizeof cxx_text / sizeof cxx_text[0],
};

static uint32_t number(const char **text)
{
    uint32_t n = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        n = n * 10 + (uint32_t)(**text - '0');
    return n;
}

static const char *access_parse(struct library_access *a, const char *text)
{
    a->how = *text++;
    a->arg = (uint8_t)(*text++ - '0');
    if (*text == '+') {
        text++;
        a->offset = number(&text);
    }
    a->extent = *text && *text != ' ' ? *text++ : 0;
    if (a->extent == 'k')
        a->bytes = number(&text);
    for (; *text >= '0' && *text <= '9'; text++)
        a->extent_args[a->count++] = (uint8_t)(*text - '0');
    while (*text == ' ')
        text++;
    return text;
}

static struct library_row row_parse(const struct described *d)
{
    struct library_row row = {.name = d->name};
    for (const char *text = d->accesses; *text;) {
        CHECK(row.count < LIBRARY_ACCESS_MAX);
        text = access_parse(&row.at[row.count++], text);
    }
    return row;
}

/* Rows by name; made when first asked for, and kept. */
struct row_index {
    struct library_row *rows;
    struct map index; /* hash of the name -> row */
};

static void index_make(struct row_index *x, const struct described *text, unsigned count)
{
    if (x->rows)
        return;
    x->rows = mem_zeroed(count, sizeof *x->rows);
    for (unsigned i = 0; i < count; i++) {
        x->rows[i] = row_parse(&text[i]);
        *map_at(&x->index, hash_bytes(text[i].name, strlen(text[i].name))) = i;
    }
}

static const struct library_row *find(const struct row_index *x, LLVMValueRef callee)
{
    size_t len;
    if (!LLVMIsDeclaration(callee) && LLVMGetLinkage(callee) != LLVMAvailableExternallyLinkage)
        return NULL;
    const char *name = LLVMGetValueName2(callee, &len);
    uint32_t i = map_find(&x->index, hash_bytes(name, len));
    return i != NONE && strcmp(x->rows[i].name, name) == 0 ? &x->rows[i] : NULL;
}

const struct library_row *libc_find(LLVMValueRef callee)
{
    static struct row_index index;
    index_make(&index, libc_text, LIBC_COUNT);
    return LLVMIsDeclaration(callee) ? find(&index, callee) : NULL;
}

static const struct library_row *cxx_find(LLVMValueRef callee)
{
    static struct row_index index;
    index_make(&index, cxx_text, CXX_COUNT);
    return find(&index, callee);
}

/* NULL: it is not described. */
const struct library_row *library_find(LLVMValueRef callee, LLVMValueRef call)
{
    if (LLVMIsACallInst(call) && libc_find(callee))
        return libc_find(callee);
    return LLVMIsACallBrInst(call) ? NULL : cxx_find(callee);
}

/* What the call is about: what it writes, else the first thing it reads. */
unsigned library_main_arg(const struct library_row *row)
{
    for (unsigned i = 0; i < row->count; i++)
        if (row->at[i].how != 'r')
            return row->at[i].arg;
    return row->at[0].arg;
}
