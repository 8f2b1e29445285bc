/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd: what the commands share: the list they stand in, exit codes, messages, and output that
 * notices when it cannot be written. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/err.h"
#include "base/io.h"
#include "base/json.h"
#include "base/str.h"

enum exit_code {
    EXIT_GOOD = 0,  /* nothing found */
    EXIT_BAD = 1,   /* a confirmed bug */
    EXIT_USAGE = 2, /* the command line makes no sense */
    EXIT_UNDECIDED = 3,
    EXIT_WORLD = 4,  /* cannot build, run, read or write */
    EXIT_PIPE = 141, /* whoever read our output went away: 128 + SIGPIPE */
};

struct option_table;

struct command {
    const char *name;
    const char *help;                 /* one line */
    const struct option_table *table; /* NULL: its words are another program's */
    /* argv[0] is the first word behind the command's name; returns an exit code */
    int (*run)(int argc, char **argv);
};

extern const struct command cmd_causes;
extern const struct command cmd_cc;
extern const struct command cmd_baseline;
extern const struct command cmd_campaign;
extern const struct command cmd_check;
extern const struct command cmd_clean;
extern const struct command cmd_cxx;
extern const struct command cmd_demo;
extern const struct command cmd_doctor;
extern const struct command cmd_explain;
extern const struct command cmd_fix;
extern const struct command cmd_guards;
extern const struct command cmd_ci;
extern const struct command cmd_init;
extern const struct command cmd_list;
extern const struct command cmd_minimize;
extern const struct command cmd_predict;
extern const struct command cmd_replay;
extern const struct command cmd_report;
extern const struct command cmd_run;
extern const struct command cmd_selftest;
extern const struct command cmd_show;
extern const struct command cmd_trace;
extern const struct command cmd_verify;
extern const struct command cmd_why_not;

extern const char cmd_commit[]; /* that it was built from; "": not known */

struct run_program;
/* The program has no runtime of ours: what to do; returns an exit code. */
int cmd_not_ours(const char *program);
/* Runs of this command find what there was before its last one, if that kept it: see run.h. */
void cmd_begins_before(char *const *argv, bool in_place);
const char *cmd_why_not_ours(const struct run_program *p);
/* "heddle: ..." on stderr, once; returns code. */
int cmd_fail(int code, const struct err *err);
/* The exit code; if a signal ended the command early, that is said. */
int cmd_stopped(int code);
/* The same in an object of JSON. */
void cmd_json_stopped(struct json *j);
/* A word that has no place on the command line; returns an exit code. */
int cmd_too_much(const char *word, const char *command);
/* The same for something worth knowing that is no failure. */
void cmd_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Appends a text with '?' for what a terminal would obey and what is not UTF-8. */
void add_clean(struct str *out, struct text t);
/* All of the text on stdout; returns an exit code. */
int cmd_print(struct str *text);
/* The help text of a command; returns an exit code. */
int cmd_help(const struct option_table *table);
/* How many words stand before `--`: all, if there is none. */
int cmd_own_words(int argc, char **argv);
/* Options into *into, other words to the front of argv; words: their count. Returns GO_ON, or
 * the exit code of a command that has been answered. */
enum { GO_ON = -1 };
int cmd_parse(const struct option_table *table, void *into, int argc, char **argv, int *words);

/* ---- output ----------------------------------------------------------------------------- *
 * A file appears under its name when it is complete, and not at all otherwise; a link to one
 * stays a link. "-" is stdout. */

struct output {
    const char *path;  /* borrowed */
    char target[4096]; /* what it stands for: no link */
    char temp[4200];   /* what is written until then; empty if it is no new file */
    int fd;
    bool failed;      /* a write failed: the message is about the output */
    bool reader_gone; /* a pipe that nobody reads any more: not worth a message */
};

int output_open(struct output *out, const char *path, struct err *err);
int output_bytes(struct output *o, const void *data, size_t len, struct err *err);
/* A trace_sink; arg is the output. */
int output_text(void *arg, struct str *text, struct err *err);
int output_finish(struct output *o, struct err *err);
/* Leaves nothing behind unless it was finished. */
void output_close(struct output *o);

#endif
