/* SPDX-License-Identifier: Apache-2.0
 *
 * build: makes a program again with other contents of some files, without touching the user's
 * tree: from the command lines that `heddle cc` keeps in the program, or by the user's own
 * command in a copy of the tree (docs/decisions has why these two). */
#ifndef BUILD_BUILD_H
#define BUILD_BUILD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* How one unit was compiled, or the program was linked. */
struct build_unit {
    const char *directory; /* where */
    const char *source;    /* as the compiler was told; a link: "" */
    const char *command;   /* words separated by '\n', the first one cc or c++ */
};

/* A file that a unit was made of. */
struct build_read {
    const char *path; /* absolute */
    uint64_t hash;    /* hash_bytes of what was in it */
    uint32_t unit;    /* whose */
};

/* A program, or a shared library that is linked to it. */
struct build_image {
    const char *path;
    struct build_unit link; /* directory NULL: not kept */
    uint32_t first, count;  /* of the units */
};

struct build_units {
    struct arena mem; /* owned: the texts */
    VEC(struct build_unit) units;
    VEC(struct build_read) reads; /* by unit */
    VEC(const char *) calls;      /* where functions call others, as heddle/calls.h says */
    VEC(struct build_image)
    images; /* the program first, then libraries that `heddle cc` made */
};

/* Of the program and its libraries. -1: it cannot be read, or `heddle cc` did not make it. */
int build_units_read(struct build_units *out, const char *program, struct err *err);
void build_units_done(struct build_units *u);

static inline void auto_build_units(struct build_units *u)
{
    build_units_done(u);
}

/* Absolute and free of links where that can be found out. */
void build_unit_path(struct str *out, const struct build_unit *u);
/* Its command, word by word; NULL ends it. */
char *const *build_unit_words(const struct build_unit *u, struct arena *mem);

/* A file whose contents are to be others. */
struct build_overlay {
    const char *path; /* of the file, as it is found from here; it need not exist */
    struct text text; /* borrowed: all that is in it */
};

struct build_opts {
    const char *scratch; /* directory that exists: everything that is made goes there */
    const struct build_overlay *overlay;
    uint32_t overlay_count;
    const char *command; /* of the user, by sh -c in a copy of tree; NULL: the kept lines */
    const char *tree;    /* NULL: the current directory */
    const char *heddle;  /* the command that compiles; NULL: this very program */
};

/* Makes program again; out is the path of the new one, below scratch. -1: it cannot be built;
 * the message says what to do, or what the compiler said first. 1: it was built, but not of
 * these contents, nor would it be of others. */
int build_program(struct str *out, const char *program, const struct build_opts *opts,
                  struct err *err);

/* Compiles and links sources by themselves, with cc -g -pthread and the flags of CFLAGS
 * or CXXFLAGS and LDLIBS; those that a compile_commands.json knows, as it says. The compiler's
 * messages go to stderr. */
int build_sources(char *const *sources, uint32_t count, const char *output, struct err *err);
bool build_is_source(const char *path); /* of C or C++, by its name */

#endif
