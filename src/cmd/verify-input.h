/* SPDX-License-Identifier: Apache-2.0
 *
 * verify-input: the two programs that `heddle verify` compares, from whatever names them:
 * executables, sources, directories, a patch, a revision. */
#ifndef CMD_VERIFY_INPUT_H
#define CMD_VERIFY_INPUT_H

#include "build/build.h"
#include "verify/verify.h"

struct verify_input_opts {
    const char *before, *after; /* executables, sources or directories */
    const char *patch;          /* a unified diff */
    const char *git;            /* a revision: before is that, after what is here */
    const char *build;          /* the user's command, or NULL */
    const char *scratch;        /* directory for what is built; it exists */
    const char *program;        /* of the tree; NULL unless patch, git or directories */
};

struct verify_input {
    struct arena mem;
    const char *before, *after; /* executables */
    VEC(struct verify_change) changes;
};

/* Which of the two words behind `--` is the program: true if the input is a tree. */
bool verify_input_is_tree(const struct verify_input_opts *o);
int verify_input_open(struct verify_input *out, const struct verify_input_opts *o,
                      struct err *err);
void verify_input_close(struct verify_input *in);

#endif
