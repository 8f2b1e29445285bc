/* SPDX-License-Identifier: Apache-2.0
 *
 * bitcode: what the files of this module share. image.c reads files of programs,
 * units-read.c the modules in them, reach.c walks their control flow; the interpreter has a
 * header of its own (exec.h). */
#ifndef IR_BITCODE_H
#define IR_BITCODE_H

#include "ir/ir.h"

#include "base/arena.h"
#include "base/io.h"
#include "base/map.h"

#include <elf.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

/* ---- image.c: an ELF file ---------------------------------------------------------------- */

struct image {
    struct bytes file; /* owned */
    const char *path;  /* in the arena of the program */
    const Elf64_Shdr *sections;
    uint32_t section_count;
    const Elf64_Sym *symbols; /* NULL: stripped */
    uint32_t symbol_count;
    const char *symbol_texts;
    uint64_t symbol_texts_bytes;
    struct map by_name;   /* hash -> first symbol of the name */
    uint32_t *next_same;  /* owned, by symbol: the next one, or NONE */
    const char **file_of; /* owned, by symbol: the source of local ones */
    uint64_t bias;        /* address in the run minus address in the file */
    bool is_placed;
};

int image_open(struct image *out, const char *path, struct err *err);
void image_close(struct image *im);
/* False: it has none of that name. */
bool image_section(const struct image *im, const char *name, const uint8_t **at, uint64_t *len);
/* The k-th shared object that it asks for, and where it is looked for; NULL: there is none. */
const char *image_needed(const struct image *im, uint32_t k);
const char *image_search_path(const struct image *im);
/* Where in memory it lies, once the address of one of its variables is known. */
void image_place(struct image *im, const char *name, const char *source, uint64_t addr);
void image_place_by_names(struct image *im, const struct trace *t);
/* Contents of memory at the start; pointers too, if they were filled in for this file alone. */
bool image_initial(const struct image *im, uint64_t addr, unsigned size, uint64_t *out);
/* Address in the run of a variable or function; source tells those of one name apart. 0: it is
 * not known. */
uint64_t image_address(const struct image *im, const char *name, const char *source);
/* The variable that an address lies in. */
bool image_variable(const struct image *im, uint64_t addr, uint64_t *start, uint64_t *size);

/* ---- units-read.c ------------------------------------------------------------------------ */

struct unit {
    LLVMModuleRef mod;
    LLVMTargetDataRef layout; /* borrowed: lives in mod */
    const char *source;       /* in the arena */
    uint32_t image;
    uint32_t first, count; /* places */
};

struct place {
    LLVMValueRef at; /* NULL: there is none of this ordinal */
    const char *file;
    uint32_t line, column;
};

struct ir {
    struct arena mem;
    LLVMContextRef ctx;
    unsigned md_site;
    VEC(struct image) images;
    VEC(struct unit) units;
    VEC(struct place) places;
    struct map by_value; /* instruction or function -> place */
    struct map unit_of;  /* module -> unit */
    struct map defined;  /* hash of a name -> index into functions: for other units */
    VEC(LLVMValueRef) functions;
    struct reach *reach; /* NULL until it is asked for */
};

static inline uint64_t key_of(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* The function with a body that a call of this one gets to; NULL: it is elsewhere. */
LLVMValueRef function_body(const struct ir *ir, LLVMValueRef fn);
const struct unit *unit_of_function(const struct ir *ir, LLVMValueRef fn);
ir_place place_of(const struct ir *ir, LLVMValueRef v); /* NONE: it is no site */
/* Does the place stand where the site says? */
bool place_fits(struct ir *ir, const struct place *p, const struct def_site *site);

/* Reads one more file of the program. */
int add_image(struct ir *ir, const char *path, struct err *err);

/* ---- libraries.c ------------------------------------------------------------------------- */

/* The shared objects that the files so far need or name; what cannot be read is left out. */
void add_objects(struct ir *ir);

/* ---- reach.c ----------------------------------------------------------------------------- */

void reach_free(struct reach *r);

#endif
