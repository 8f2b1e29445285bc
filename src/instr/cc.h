/* SPDX-License-Identifier: Apache-2.0
 *
 * cc: what the parts of the driver share: a compiler's command line that has been understood,
 * and children. */
#ifndef INSTR_CC_H
#define INSTR_CC_H

#include "base/arena.h"
#include "base/vec.h"
#include "instr/instr.h"

/* What a word of the command line is to us. */
enum role {
    ROLE_FLAG,        /* goes along everywhere */
    ROLE_INPUT,       /* a file, or - */
    ROLE_OURS,        /* said anew for every step: -c -S -o -x */
    ROLE_SOURCE_ONLY, /* not for the step from bitcode to object: -M... */
    ROLE_FRONT,       /* the same, but it says how the source is to be read */
};

struct cc_word {
    const char *text; /* in the arena or in argv */
    enum role role;
};

struct cc_input {
    const char *path;
    const char *language; /* of the -x before it; NULL: its name decides */
    uint32_t word;
    bool is_source; /* C or C++ */
};

enum cc_mode { MODE_LINK, MODE_OBJECT, MODE_ASSEMBLY };

struct cc_line {
    VEC(struct cc_word) words;
    VEC(struct cc_input) inputs;
    enum cc_mode mode;
    const char *output; /* NULL: clang's default */
    bool is_untouched;  /* clang alone knows what is meant */
    bool is_optimised;  /* -O1 and above */
    bool has_debug;     /* the last word about it asks for variables too */
    bool emits_llvm;
    bool has_depfile, has_depfile_name, has_depfile_target; /* -MD; -MF; -MT or -MQ */
    bool makes_program, makes_library;                      /* -r: neither */
    bool wants_defined; /* -z defs: no undefined symbols, also in a shared object */
    bool wants_no_libc; /* -nostdlib and the like */
    bool is_static;     /* -static: no shared objects at all */
    bool has_sources, has_headers;
};

/* Understands a command line; @files in it are replaced by what they hold. */
void cc_parse(struct cc_line *out, struct arena *mem, int argc, char **argv);
void cc_done(struct cc_line *line);

/* Does the word ask for a list of what was read (-MD)? */
bool cc_asks_depfile(const char *word);

/* Assembly that puts one record into section heddle_commands. */
void tables_record(struct str *out, const char *what, const char *directory, const char *source,
                   const char *command);

/* The source and the user's headers in a list of clang's, with what is in them now. */
void reads_find(instr_reads *out, struct arena *mem, const char *source, const char *headers);

/* Is there a line for this source (kind "src:") or function ("fun:")? */
bool ignore_has(const struct bytes *list, const char *kind, const char *name);

typedef VEC(const char *) word_list; /* the words are borrowed */

/* A child runs to its end; what it writes to stderr goes to a file if one is named. dir is for
 * a command line that is too long for the system. out is its exit code, or 128 + a signal. */
int child_run(word_list *argv, const char *dir, const char *stderr_path, int *out,
              struct err *err);
/* Becomes another program; returns only on failure. */
int child_exec(word_list *argv, struct err *err);
/* Have we been asked to end meanwhile? 0, or the signal. */
int child_signal(void);
void child_watch_signals(void);

#endif
