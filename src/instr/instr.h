/* SPDX-License-Identifier: Apache-2.0
 *
 * instr: from bitcode to instrumented bitcode with its tables (include/heddle/abi.h), and the
 * compiler driver around it. docs/instr.md says what is instrumented and how. */
#ifndef INSTR_INSTR_H
#define INSTR_INSTR_H

#include "base/err.h"
#include "base/io.h"
#include "base/str.h"
#include "base/vec.h"

/* A file that a unit was made of. */
struct instr_read {
    const char *path; /* absolute, free of links */
    uint64_t hash;    /* hash_bytes of what was in it */
};
typedef VEC(struct instr_read) instr_reads;

/* What a module does not know about itself. */
struct instr_opts {
    const char *source;         /* as the compiler was told */
    const char *directory;      /* where it was told so */
    const char *command;        /* the compiler's command line, words separated by '\n' */
    const instr_reads *reads;   /* what it was made of; NULL: not told */
    bool is_optimised;          /* it will be: hooks may be more code than a call */
    struct str *list;           /* NULL, or gets one line per site */
    const struct bytes *ignore; /* globs: see ignore.c */
};

/* Reads bitcode from one file and writes it, instrumented, to another. */
int instr_module(const char *in, const char *out, const struct instr_opts *opts,
                 struct err *err);

/* Section heddle_commands is a row of records of four texts, each ended by a zero byte: what it
 * is (below), the directory, the source or "" for a link, and the command line, words separated
 * by '\n'. One per unit, one per link of a program; build/ makes the program again from it.
 * Behind the record of a unit stands one for each file of the user's that it was made of: no
 * directory, the path, and instead of a command the hash of the text, 16 hexadecimal digits. */
#define INSTR_RECORD_UNIT "unit"
#define INSTR_RECORD_READ "read"
#define INSTR_RECORD_LINK "link"
/* And one that says where its functions call others: heddle/calls.h. */

/* ---- what is not seen -------------------------------------------------------------------- */

enum instr_remark_kind {
    REMARK_ASSEMBLY, /* inline assembly that may touch memory */
    REMARK_VECTOR,   /* more than 16 bytes at once: values are hashes */
    REMARK_CALL,     /* of something that ends a run as unsupported */
    REMARK_COUNT
};

struct instr_remark {
    enum instr_remark_kind kind;
    struct text callee;         /* of a call */
    struct text file, function; /* as the debug information and the linker call them */
    uint32_t line;
};

typedef void (*instr_remark_fn)(void *arg, const struct instr_remark *r);

/* Of all units in a program's section heddle_bitcode. */
int instr_inspect(const struct bytes *section, instr_remark_fn found, void *arg,
                  struct err *err);

/* ---- the driver ------------------------------------------------------------------------- */

/* To make something again elsewhere, with other contents: nothing is written but output. */
struct driver_rebuild {
    const char *output;     /* NULL: this is no rebuild */
    const char *only;       /* NULL: all of the line; else the object of this source alone */
    const char *overlay;    /* NULL, or a file for clang's -ivfsoverlay */
    char *const *instead;   /* pairs: an input of the link, what to link instead */
    uint32_t instead_count; /* of pairs */
};

struct driver_opts {
    bool is_cxx;
    const char *self;   /* path of the heddle executable: the runtime is found beside it */
    struct str *list;   /* NULL, or: list the sites of every source, and make nothing */
    const char *ignore; /* NULL, or a file: what is not to be instrumented */
    struct driver_rebuild rebuild;
};

/* Does what clang would have done with these words (argv[0] is the first word behind the
 * command's name; NULL ends), with the sources instrumented. out is the exit code, clang's
 * where clang said why; -1 with a message if the driver itself met a failure. A line that is
 * clang's business alone replaces this process by clang. */
int driver_run(const struct driver_opts *opts, int argc, char **argv, int *out,
               struct err *err);

#endif
