/* SPDX-License-Identifier: Apache-2.0
 *
 * settings: see settings.h. A setting becomes the word that the command line would have had, so
 * that there is one parser; only what the command line cannot know is looked at here: whether
 * any command has such an option, and where a mistake stands. */
#include "cmd/settings.h"

#include "cmd/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 256 };

struct reader {
    struct settings *out;
    const struct command *const *commands;
    const struct command *c;
    unsigned verb; /* bit of the verb in use */
    int argc;      /* of the words that are the command's own */
    char **argv;
    char where[64];            /* ".heddle:3" */
    VEC(const char *) settled; /* names that the variable has given */
    bool is_file;
};

/* ---- which option ---------------------------------------------------------------------- */

static const struct option_row *find_row(const struct option_table *t, struct text name,
                                         unsigned verb)
{
    for (const struct option_row *r = t->rows; r->type != OPTION_END; r++)
        if (r->type != OPTION_HELP && text_is(text_of(r->name), name) &&
            (r->verbs == 0 || (r->verbs & verb)))
            return r;
    return NULL;
}

static int unknown(const struct reader *r, struct text name, struct err *err)
{
    const char *names[NAMES_MAX + 1] = {0};
    char word[64];
    unsigned count = 0;
    for (const struct command *const *c = r->commands; *c; c++)
        for (const struct option_row *row = (*c)->table ? (*c)->table->rows : NULL;
             row && row->type != OPTION_END && count < NAMES_MAX; row++)
            names[count++] = row->name;
    snprintf(word, sizeof word, "%.*s", TEXT_ARG(name));
    const char *nearest = word_nearest(word, names);
    return err_set(err, "%s: no command has an option '%s'%s%s", r->where, word,
                   nearest ? ", did you mean " : "", nearest ? nearest : "");
}

static bool is_known(const struct reader *r, struct text name)
{
    for (const struct command *const *c = r->commands; *c; c++)
        if ((*c)->table && find_row((*c)->table, name, ~0U))
            return true;
    return false;
}

/* ---- what was given already ------------------------------------------------------------ */

/* Is this word the option, or one that stands for the opposite? */
static bool is_given_by(const struct option_table *t, const struct option_row *row,
                        const char *word)
{
    size_t len = strcspn(word, "=");
    for (const struct option_row *r = t->rows; r->type != OPTION_END; r++) {
        bool same = r == row || strcmp(r->name, row->name) == 0 ||
                    (row->group && r->group && strcmp(row->group, r->group) == 0);
        bool spelled = word[0] == '-' && word[1] == '-' && strlen(r->name) == len - 2 &&
                       memcmp(word + 2, r->name, len - 2) == 0;
        bool short_one = word[0] == '-' && r->letter && word[1] == r->letter;
        if (same && (spelled || short_one))
            return true;
    }
    return false;
}

static bool is_given(const struct reader *r, const struct option_row *row)
{
    for (int i = 0; i < r->argc; i++)
        if (is_given_by(r->c->table, row, r->argv[i]))
            return true;
    for (uint32_t i = 0; r->is_file && i < r->settled.len; i++)
        if (is_given_by(r->c->table, row, r->settled.at[i]))
            return true;
    return false;
}

/* ---- one setting ----------------------------------------------------------------------- */

static bool means_no(struct text value)
{
    return text_is(value, TEXT("0")) || text_is(value, TEXT("no")) ||
           text_is(value, TEXT("false"));
}

static bool means_yes(struct text value)
{
    return value.len == 0 || text_is(value, TEXT("1")) || text_is(value, TEXT("yes")) ||
           text_is(value, TEXT("true"));
}

static int check_value(const struct reader *r, const struct option_row *row, struct text value,
                       struct err *err)
{
    uint64_t number;
    if (row->type == OPTION_FLAG && !means_yes(value) && !means_no(value))
        return err_set(err, "%s: '%s' is yes or no, not '%.*s'", r->where, row->name,
                       TEXT_ARG(value));
    if (row->type == OPTION_NUMBER && !text_number(value, &number))
        return err_set(err, "%s: '%s' wants a number, not '%.*s'", r->where, row->name,
                       TEXT_ARG(value));
    if (row->type == OPTION_COUNT && (!text_number(value, &number) || number == 0))
        return err_set(err, "%s: '%s' wants a number from 1 on, not '%.*s'", r->where,
                       row->name, TEXT_ARG(value));
    if (row->is_optional && value.len == 0)
        return 0;
    if (row->value && value.len == 0)
        return err_set(err, "%s: '%s' wants a value: %s=%s", r->where, row->name, row->name,
                       row->value);
    for (unsigned i = 0; row->type == OPTION_CHOICE; i++) {
        if (!row->choices[i])
            return err_set(err, "%s: '%s' cannot be '%.*s'", r->where, row->name,
                           TEXT_ARG(value));
        if (text_is(text_of(row->choices[i]), value))
            break;
    }
    return 0;
}

static void add_word(struct reader *r, const struct option_row *row, struct text value)
{
    AUTO(str) struct str word = {0};
    str_add(&word, "--%s", row->name);
    if (row->value && value.len > 0)
        str_add(&word, "=%.*s", TEXT_ARG(value));
    char *kept = arena_text(&r->out->mem, word.at, word.len);
    vec_push(&r->out->words, kept);
    if (!r->is_file)
        vec_push(&r->settled, kept);
}

static int set(struct reader *r, struct text name, struct text value, struct err *err)
{
    const struct option_row *row = r->c->table ? find_row(r->c->table, name, r->verb) : NULL;
    if (!row)
        return is_known(r, name) ? 0 : unknown(r, name, err);
    if (check_value(r, row, value, err) < 0)
        return -1;
    bool off = row->type == OPTION_FLAG && means_no(value);
    if (!off && !is_given(r, row))
        add_word(r, row, value);
    return 0;
}

/* ---- reading --------------------------------------------------------------------------- */

/* "key=value", "key value" or "key", with or without dashes. */
static int set_line(struct reader *r, struct text line, struct err *err)
{
    while (line.len > 0 && line.at[0] == '-') {
        line.at++;
        line.len--;
    }
    uint32_t len = 0;
    while (len < line.len && !strchr("= \t", line.at[len]))
        len++;
    struct text name = {line.at, len},
                value = text_trim((struct text){line.at + len, line.len - len});
    if (value.len > 0 && value.at[0] == '=')
        value = text_trim((struct text){value.at + 1, value.len - 1});
    return set(r, name, value, err);
}

static int read_file(struct reader *r, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    r->is_file = true;
    if (access(SETTINGS_FILE, F_OK) < 0)
        return 0;
    if (bytes_read(&b, SETTINGS_FILE, err) < 0)
        return errno == EISDIR ? 0 : -1;
    const char *at = (const char *)b.at, *end = at + b.len;
    for (unsigned number = 1; at < end; number++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        struct text line = text_trim((struct text){at, (uint32_t)((nl ? nl : end) - at)});
        snprintf(r->where, sizeof r->where, "%s:%u", SETTINGS_FILE, number);
        if (line.len > 0 && line.at[0] != '#' && set_line(r, line, err) < 0)
            return -1;
        at = nl ? nl + 1 : end;
    }
    return 0;
}

/* Up to the next colon; one that is quoted does not count. The quotes go. */
static const char *next_part(const char *at, struct str *out)
{
    char quote = 0;
    out->len = 0;
    str_add(out, "%s", "");
    for (; *at && (quote || *at != ':'); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else
            str_char(out, *at);
    }
    return *at ? at + 1 : at;
}

static int read_variable(struct reader *r, struct err *err)
{
    const char *at = getenv(SETTINGS_VARIABLE);
    AUTO(str) struct str part = {0};
    snprintf(r->where, sizeof r->where, "%s", SETTINGS_VARIABLE);
    while (at && *at) {
        at = next_part(at, &part);
        struct text line = text_trim(text_of(part.at));
        if (line.len > 0 && set_line(r, line, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------- */

/* A command with verbs wants the verb first. */
static unsigned find_verb(const struct command *c, int argc, char **argv)
{
    for (unsigned i = 0; c->table && c->table->verbs && c->table->verbs[i]; i++)
        if (argc > 0 && strcmp(argv[0], c->table->verbs[i]) == 0)
            return 1U << i;
    return 0;
}

int settings_apply(struct settings *out, const struct command *const *commands,
                   const struct command *c, int argc, char **argv, struct err *err)
{
    struct reader r = {.out = out, .commands = commands, .c = c, .argv = argv};
    int verbs = 0;
    while (r.argc < argc && strcmp(argv[r.argc], "--") != 0)
        r.argc++;
    r.verb = find_verb(c, argc, argv);
    if (r.verb)
        vec_push(&out->words, argv[verbs++]);
    bool reads = c->table && (r.verb || !c->table->verbs);
    int failed = reads && (read_variable(&r, err) < 0 || read_file(&r, err) < 0);
    vec_done(&r.settled);
    if (failed)
        return -1;
    for (int i = verbs; i < argc; i++)
        vec_push(&out->words, argv[i]);
    vec_push(&out->words, NULL);
    return 0;
}

void settings_done(struct settings *s)
{
    vec_done(&s->words);
    arena_done(&s->mem);
}
