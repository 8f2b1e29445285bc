/* SPDX-License-Identifier: Apache-2.0
 *
 * witness-file: a witness as a small text that outlives its trace (docs/format.md, "Witness
 * files"). It names threads by how they were created and events by where they stand in the
 * source, and lists the stretches that each thread runs: as many lines as the witness has
 * switches, however long the trace was. */
#ifndef WITNESS_WITNESS_FILE_H
#define WITNESS_WITNESS_FILE_H

#include "witness/witness.h"

enum { WITNESS_VERSION = 1 };

/* A place in the source. Two sites are the same if all but the line and the directories of
 * the file are. Nothing is known of a site without a function. */
struct witness_site {
    struct text file, function, name; /* name: variable, field or callee; may be empty */
    uint32_t line, column, statement;
};

/* Is this the site? Lines and directories do not count. */
bool witness_site_is(const struct witness_site *w, const struct def_site *s);

struct witness_thread {
    struct text label;        /* T1 */
    const uint32_t *path;     /* how it came to be: main is {0}, its k-th child {0, k} */
    uint32_t depth;           /* length of the path, at least 1 */
    struct witness_site site; /* where it was created; no function: unknown */
};

enum witness_how {
    WITNESS_RUN,   /* the thread goes on until this event has happened */
    WITNESS_EVENT, /* the same, and it is one of the query's events */
    WITNESS_AT,    /* the thread goes on until it stands right before this event */
};

struct witness_line {
    enum witness_how how;
    uint32_t thr;   /* index into threads */
    uint64_t count; /* it is the thread's count-th event of this kind at this site, from 1 */
    uint8_t kind;
    struct witness_site site;
    struct text object; /* for people: what it acts on; may be empty */
    uint32_t line;      /* in the file; 0 if it did not come from one */
};

struct witness_file {
    struct arena mem;    /* owned: everything below lives in it */
    struct text pattern; /* race, deadlock, ... */
    struct text query;   /* for people: the query's line */
    struct text process; /* the forked child that it is about; empty: the program itself */
    VEC(char *) program; /* arguments, the program first, then NULL; empty: unknown */
    VEC(struct witness_thread) threads;
    VEC(struct witness_line) lines; /* the WITNESS_AT ones come last */
};

/* Recognised by its first line. */
bool witness_file_is(const struct bytes *in);
/* name is for messages. */
int witness_file_parse(struct witness_file *out, const struct bytes *in, const char *name,
                       struct err *err);
int witness_file_open(struct witness_file *out, const char *path, struct err *err);
void witness_file_print(const struct witness_file *f, struct str *out);
void witness_file_close(struct witness_file *f);

static inline void auto_witness_file(struct witness_file *f)
{
    witness_file_close(f);
}

/* Appends the name of the link to the recorded run that it was predicted from. */
void witness_recorded(struct str *out, const char *witness);
/* Appends the name of the link to the run that followed it. */
void witness_run(struct str *out, const char *witness);

/* ---- from witnesses of a trace --------------------------------------------------------- *
 * Many at once: the trace is walked twice, however many witnesses there are. */

struct witness_writer;

/* NULL if the trace is corrupt. */
struct witness_writer *witness_writer_new(struct trace *t, struct err *err);
void witness_writer_free(struct witness_writer *w);
/* argv ends with NULL and may be NULL. The numbers given are 0, 1, ... */
uint32_t witness_writer_add(struct witness_writer *w, const struct witness *witness,
                            const char *pattern, char *const *argv);
/* The command that made the trace, from the file beside it: for the argument above. NULL if
 * there is none. */
char *const *witness_program(struct arena *mem, const char *trace_path);
/* The forked child that the trace is of: for witnesses that are added from here on. */
void witness_writer_process(struct witness_writer *w, const char *process);
/* After the last one was added. */
int witness_writer_finish(struct witness_writer *w, struct err *err);
/* After it was finished. */
struct witness_file *witness_writer_get(const struct witness_writer *w, uint32_t number);
int witness_writer_save(const struct witness_writer *w, uint32_t number, const char *path,
                        struct err *err);

static inline void auto_witness_writer(struct witness_writer **w)
{
    witness_writer_free(*w);
}

#endif
