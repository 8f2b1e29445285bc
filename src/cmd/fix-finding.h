/* SPDX-License-Identifier: Apache-2.0
 *
 * fix-finding: what `heddle fix` prints, asks and writes. */
#ifndef CMD_FIX_FINDING_H
#define CMD_FIX_FINDING_H

#include "fix/fix.h"

struct fix_finding {
    const char *program, *name;
    char *const *argv;             /* the program with its arguments */
    const char *home;              /* PROGRAM.heddle */
    const struct finding *finding; /* NULL: the program as such */
    const struct causes *causes;
    const struct fix_repair *repair;
    bool all;
};

/* The patch to show: proven, or the best partial one; NULL if there is none. */
static inline const struct fix_candidate *best_of(const struct fix_finding *t)
{
    return t->repair->best == NONE ? NULL : &t->repair->candidates.at[t->repair->best];
}

void fix_print_text(const struct fix_finding *t, struct str *out);
void fix_print_json(const struct fix_finding *t, struct str *out);
void fix_print_sarif(const struct fix_finding *t, struct str *out);
int fix_write_page(const struct fix_finding *t, const char *path, struct err *err);
/* Asks which patch; NONE: none of them. */
int fix_choose(const struct fix_finding *t, uint32_t *out, struct err *err);
/* Writes the files, each with what it was in FILE.orig, or FILE.orig.2 and so on. -1 and
 * nothing written if one is not what it was when the patch was made; unless forced also if one
 * has changes that git does not know, or may not be written. */
int fix_apply(const struct fix_candidate *c, bool is_forced, struct err *err);

#endif
