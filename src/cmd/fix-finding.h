/* SPDX-License-Identifier: Apache-2.0
 *
 * fix-finding: what `heddle fix` prints, asks and writes. */
#ifndef CMD_FIX_FINDING_H
#define CMD_FIX_FINDING_H

#include "base/json.h"
#include "fix/fix.h"

struct fix_finding {
    const char *program, *name;
    char *const *argv;             /* the program with its arguments */
    const char *home;              /* PROGRAM.heddle */
    const struct finding *finding; /* NULL: the program as such */
    const char *const *others;     /* ids of findings that are mended with it */
    uint32_t other_count;
    const struct causes *causes;
    const struct fix_repair *repair;
    bool all, explain;
    uint32_t alternatives; /* that were asked for */
    uint32_t lines_max;    /* a larger patch is only summarised */
};

static inline bool is_too_large(const struct fix_finding *t, const struct fix_candidate *c)
{
    return c->lines > t->lines_max;
}

/* The patch to show: proven, or the best partial one; NULL if there is none. */
static inline const struct fix_candidate *best_of(const struct fix_finding *t)
{
    return t->repair->best == NONE ? NULL : &t->repair->candidates.at[t->repair->best];
}

/* "src/a.c: 70 lines added, 10 taken out, at 4 places": a line for each file. */
void fix_add_summary(struct str *out, const struct fix_candidate *c, const char *indent);
/* Why this plan: the account of the repair. */
void fix_add_account(struct str *out, const struct fix_account *a);
void fix_put_account(struct json *j, const struct fix_account *a);
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
