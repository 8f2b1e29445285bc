/* SPDX-License-Identifier: Apache-2.0
 *
 * options: see options.h. Written by hand instead of over getopt_long, which prints by itself,
 * guesses at abbreviations and cannot say which option was meant. */
#include "cmd/options.h"

#include <stdint.h>
#include <string.h>

enum { WORD_MAX_BYTES = 40, ROWS_MAX = 64 };

struct parse {
    const struct option_table *table;
    unsigned verb;
    void *into;
    int argc, at; /* at: the next word */
    char **argv;
    uint64_t seen; /* bit per row */
    bool help;
};

/* ---- parsing ---------------------------------------------------------------------------- */

static bool has_verb(const struct option_row *row, unsigned verb)
{
    return row->verbs == 0 || (row->verbs & verb);
}

static int unknown(const struct parse *p, const char *word, const char *name, struct err *err)
{
    const char *names[ROWS_MAX + 1] = {0};
    unsigned count = 0;
    for (const struct option_row *r = p->table->rows; r->type != OPTION_END; r++)
        if (has_verb(r, p->verb))
            names[count++] = r->name;
    const char *nearest = word_nearest(name, names);
    if (!nearest)
        return err_set(err, "unknown option %s; see '%s --help'", word, p->table->command);
    return err_set(err, "unknown option %s, did you mean --%s? see '%s --help'", word, nearest,
                   p->table->command);
}

/* An option that other verbs have. */
static int misplaced(const struct parse *p, const struct option_row *row, struct err *err)
{
    struct str where = {0};
    unsigned verbs = 0;
    for (const struct option_row *r = p->table->rows; r->type != OPTION_END; r++)
        if (strcmp(r->name, row->name) == 0)
            verbs |= r->verbs;
    for (unsigned i = 0; p->table->verbs[i]; i++)
        if (verbs >> i & 1)
            str_add(&where, "%s%s", where.len ? " and " : "", p->table->verbs[i]);
    err_set(err, "--%s is an option of %s only; see '%s --help'", row->name, where.at,
            p->table->command);
    str_done(&where);
    return -1;
}

static int store_choice(const struct option_row *row, const char *value, unsigned *into,
                        struct err *err)
{
    struct str known = {0};
    for (unsigned i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], value) == 0)
            *into = i + 1;
        str_add(&known, "%s%s", i ? ", " : "", row->choices[i]);
    }
    if (*into == 0)
        err_set(err, "--%s is one of %s, not '%s'", row->name, known.at, value);
    str_done(&known);
    return *into ? 0 : -1;
}

static int store(struct parse *p, const struct option_row *row, const char *value,
                 struct err *err)
{
    void *into = (char *)p->into + row->offset;
    uint64_t bit = (uint64_t)1 << (row - p->table->rows);
    if ((p->seen & bit) && row->type != OPTION_TEXTS && row->type != OPTION_HELP)
        return err_set(err, "--%s is given twice; see '%s --help'", row->name,
                       p->table->command);
    p->seen |= bit;
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)into = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)into = value;
        return 0;
    case OPTION_NUMBER:
        if (!text_number(text_of(value), into))
            return err_set(err, "--%s wants a number, not '%s'", row->name, value);
        return 0;
    case OPTION_COUNT:
        if (!text_number(text_of(value), into) || *(uint64_t *)into == 0)
            return err_set(err, "--%s wants a number from 1 on, not '%s'", row->name, value);
        return 0;
    case OPTION_CHOICE:
        return store_choice(row, value, into, err);
    case OPTION_TEXTS:
        vec_push((option_texts *)into, value);
        return 0;
    default:
        p->help = true;
        return 0;
    }
}

/* The value is what stands behind the name in the same word, or the next word. */
static int take(struct parse *p, const struct option_row *row, const char *attached,
                struct err *err)
{
    if (!has_verb(row, p->verb))
        return misplaced(p, row, err);
    if (!row->value && attached)
        return err_set(err, "--%s takes no value; see '%s --help'", row->name,
                       p->table->command);
    if (row->is_optional && !attached) {
        attached = row->choices[0];
    } else if (row->value && !attached) {
        if (p->at == p->argc)
            return err_set(err, "--%s wants a value: --%s %s", row->name, row->name,
                           row->value);
        attached = p->argv[p->at++];
    }
    return store(p, row, attached, err);
}

static int take_long(struct parse *p, const char *word, struct err *err)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct option_row *found = NULL;
    for (const struct option_row *r = p->table->rows; r->type != OPTION_END; r++)
        if (strlen(r->name) == len && memcmp(r->name, name, len) == 0)
            if (!found || has_verb(r, p->verb))
                found = r;
    if (found)
        return take(p, found, equals ? equals + 1 : NULL, err);
    char bare[WORD_MAX_BYTES];
    snprintf(bare, sizeof bare, "%.*s", (int)len, name);
    return unknown(p, word, bare, err);
}

static int take_short(struct parse *p, const char *word, struct err *err)
{
    for (const struct option_row *r = p->table->rows; r->type != OPTION_END; r++)
        if (r->letter && r->letter == word[1])
            return take(p, r, word[2] ? word + 2 : NULL, err);
    return unknown(p, word, word + 1, err);
}

int options_parse(const struct option_table *table, unsigned verb, void *into, int argc,
                  char **argv, int *out, struct err *err)
{
    struct parse p = {.table = table, .verb = verb, .into = into, .argc = argc, .argv = argv};
    int kept = 0;
    bool ended = false;
    while (p.at < argc) {
        char *word = argv[p.at++];
        int failed = 0;
        if (ended || word[0] != '-' || word[1] == 0)
            argv[kept++] = word;
        else if (strcmp(word, "--") == 0)
            ended = true;
        else if (word[1] == '-')
            failed = take_long(&p, word, err);
        else
            failed = take_short(&p, word, err);
        if (failed < 0)
            return -1;
    }
    *out = kept;
    return p.help ? OPTIONS_WANT_HELP : OPTIONS_OK;
}

/* ---- help ------------------------------------------------------------------------------- */

static void help_row(const struct option_row *row, struct str *out)
{
    enum { COLUMN = 22 };
    size_t start = out->len;
    if (row->letter)
        str_add(out, "  -%c, --%s", row->letter, row->name);
    else
        str_add(out, "  --%s", row->name);
    if (row->is_optional)
        str_add(out, "[=%s]", row->value);
    else if (row->value)
        str_add(out, " %s", row->value);
    size_t width = out->len - start;
    str_add(out, "%*s%s\n", width < COLUMN ? (int)(COLUMN - width) : 1, "", row->help);
}

void options_usage(const struct option_table *table, struct str *out)
{
    for (unsigned i = 0; table->usage[i]; i++)
        str_add(out, "%s %s %s\n", i ? "      " : "usage:", table->command, table->usage[i]);
}

void options_help(const struct option_table *table, struct str *out)
{
    options_usage(table, out);
    str_add(out, "\n%s\noptions:\n", table->about);
    for (const struct option_row *r = table->rows; r->type != OPTION_END; r++)
        help_row(r, out);
    if (table->more)
        str_add(out, "\n%s", table->more);
    str_add(out, "\nexamples:\n");
    for (const struct option_example *e = table->examples; e->line; e++)
        str_add(out, "  # %s\n  %s\n", e->help, e->line);
}
