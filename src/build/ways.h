/* SPDX-License-Identifier: Apache-2.0
 *
 * ways: what the files of this module share. */
#ifndef BUILD_WAYS_H
#define BUILD_WAYS_H

#include "build/build.h"

typedef VEC(char *) build_words; /* the words are borrowed; NULL ends what is run */

/* Runs a program (argv ends with NULL) in a directory; what it says goes to the file log,
 * or, without one, where we say things. -1: it cannot be started, or failed: err has its first
 * error. */
int build_run(const char *path, char *const *argv, const char *directory, const char *log,
              struct err *err);

/* Says of what failed the first error in its log, always -1. */
int build_failed(const char *what, const char *log, struct err *err);

/* Text in the arena, from a format. */
char *build_text(struct arena *mem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- kept.c ------------------------------------------------------------------------------ */

/* Appends the words of a kept line behind the first one. */
void build_line(struct arena *mem, build_words *out, const struct build_unit *u);
/* The image that a word of this link names: an index into images, or NONE. */
uint32_t build_named(const struct build_units *u, const struct build_unit *link,
                     const build_words *line, const char *word);

/* The archive that a word of this link names, by its path or as -lNAME; NULL: none. */
const char *build_archive(struct arena *mem, const struct build_unit *link,
                          const build_words *line, const char *word);

/* ---- compiled.c -------------------------------------------------------------------------- */

/* Is all of the program that reads the file made of this text? It may have been compiled under
 * another name. 1: no, err says what is not. */
int build_check_compiled(const char *program, const struct build_overlay *file,
                         const char *compiled_as, struct err *err);

/* ---- database.c -------------------------------------------------------------------------- */

/* How the project compiles one of its files. */
struct build_compiled {
    const char *source;    /* absolute */
    const char *directory; /* where */
    build_words flags;     /* owned; the words are in the arena */
};

/* 1: compile_commands.json says so, and that is out. 0: it does not, or there is none. */
int build_compiled_find(struct build_compiled *out, struct arena *mem, const char *source,
                        struct err *err);

/* ---- rebuild.c, tree.c, at-home.c: the ways ---------------------------------------------- */

struct run_world;

/* Absolute; the file need not exist, nor the directories that only the build makes. */
int build_resolve(char *out, const char *path, struct err *err);

int rebuild_kept(struct str *out, const char *program, const struct build_opts *opts,
                 struct err *err);
int rebuild_tree(struct str *out, const char *program, const struct build_opts *opts,
                 struct err *err);
/* By the user's command, where the tree is, in a world that has seen no run. */
int rebuild_at_home(struct str *out, struct run_world *w, const char *program,
                    const struct build_opts *opts, struct err *err);

#endif
