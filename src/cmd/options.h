/* SPDX-License-Identifier: Apache-2.0
 *
 * options: one table per command says which options it has; parsing, complaints and the help
 * text all come from it, so they cannot disagree. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum option_type {
    OPTION_END,    /* closes the table */
    OPTION_HELP,   /* stores nothing: options_parse says that help is wanted */
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char * */
    OPTION_NUMBER, /* uint64_t */
    OPTION_COUNT,  /* uint64_t, not 0 */
    OPTION_CHOICE, /* unsigned: position in choices, from 1 */
    OPTION_TEXTS,  /* option_texts; may be repeated */
};

typedef VEC(const char *) option_texts; /* the texts are borrowed: they live in argv */

struct option_row {
    enum option_type type;
    char letter;                /* -o, or 0 */
    const char *name;           /* without the dashes */
    const char *value;          /* what stands for the value in the help; NULL: it has none */
    const char *help;           /* one short line */
    const char *group;          /* options of which the user means one; or NULL */
    unsigned verbs;             /* bits of the verbs that have it; 0: all. Two verbs may have
                                 * an option of the same name, in a row each */
    const char *const *choices; /* NULL ends */
    bool is_optional;           /* OPTION_CHOICE: without a value it is the first of them */
    size_t offset;              /* where in the command's options it is stored */
};

struct option_example {
    const char *line, *help;
};

struct option_table {
    const char *command;           /* "heddle trace" */
    const char *const *usage;      /* what may follow it, one line each; NULL ends */
    const char *about;             /* some lines, each with its newline */
    const char *const *verbs;      /* by bit; NULL ends. NULL: the command has no verbs */
    const struct option_row *rows; /* OPTION_END ends; at most 64 */
    const char *more;              /* further help, some lines; or NULL */
    const struct option_example *examples; /* line NULL ends */
};

enum { OPTIONS_OK, OPTIONS_WANT_HELP };

/* Stores options into *into and moves the other words to the front of argv; out is their
 * count. verb is the bit of the verb in use. Returns OPTIONS_..., or -1 with a complaint. */
int options_parse(const struct option_table *table, unsigned verb, void *into, int argc,
                  char **argv, int *out, struct err *err);
void options_usage(const struct option_table *table,
                   struct str *out); /* its first lines only */
void options_help(const struct option_table *table, struct str *out);

#endif
