/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign-parts: what the files of this module share. */
#ifndef CAMPAIGN_CAMPAIGN_PARTS_H
#define CAMPAIGN_CAMPAIGN_PARTS_H

#include "campaign/campaign.h"

#include "base/io.h"
#include "predict/predict.h"

/* ---- line-words.c ----------------------------------------------------------------------- */

/* Appends a word, behind a blank unless it is the first of its line. */
void words_add(struct str *out, const char *word);
void words_add_all(struct str *out, const campaign_words *words);
/* The next line of a text, without its end. */
bool words_next_line(struct text *rest, struct text *line);
/* What stands behind "key="; NULL: it is another word. */
const char *words_value(const char *word, const char *key);

/* ---- files.c ---------------------------------------------------------------------------- */

void file_of(struct str *out, const char *directory, const char *name); /* DIR/name */
void file_of_round(struct str *out, const char *directory, const char *name, uint32_t round);
void file_of_group(struct str *out, const char *directory, const char *name, uint64_t unit);
void file_of_unit(struct str *out, const char *directory, const char *name, uint64_t unit);
/* A whole file beside its place, then renamed: other hosts see all of it or nothing. */
int file_publish(const char *path, const struct str *data, struct err *err);
/* Adds the hashes of everything that the plan executes. */
int files_hash(struct campaign_plan *p, struct err *err);
/* Are those of these two, and everybody's, the same here? The message names this host. */
int files_check(const struct campaign_plan *p, const char *one, const char *other,
                struct err *err);
void host_name(struct str *out);

/* ---- campaign-plan.c -------------------------------------------------------------------- */

int plan_write(const struct campaign_plan *p, const char *directory, struct err *err);
int plan_read(struct campaign_plan *p, const char *directory, struct err *err);
void unit_print(struct str *out, const struct campaign_unit *u);
int unit_parse(struct campaign_unit *u, struct text line, struct arena *mem, struct err *err);
/* One unit, and the hash of its line. */
int unit_find(const struct campaign *c, uint64_t number, struct campaign_unit *u,
              struct arena *mem, struct err *err);
uint64_t unit_hash(const struct campaign_unit *u);
/* The units of a round: their numbers are given here. */
int round_publish(struct campaign *c, campaign_units *units, struct err *err);

/* ---- result.c --------------------------------------------------------------------------- */

/* Named stretches of bytes in one file. */
struct result_part {
    const char *name; /* borrowed; or in mem */
    struct text data;
};

struct result {
    struct bytes file; /* owned; the texts live in there */
    struct arena mem;
    uint64_t unit, hash, ms;
    int exit; /* code of its command; RESULT_LOST: there was none */
    const char *host;
    VEC(struct result_part) parts;
};

enum { RESULT_LOST = 99 };

/* 1: there is none. */
int result_read(struct result *out, const char *path, struct err *err);
void result_done(struct result *r);

static inline void auto_result(struct result *r)
{
    result_done(r);
}

/* NULL: it has no such part. */
const struct text *result_part(const struct result *r, const char *name);
void result_print(struct str *out, const struct result *r);

/* ---- seeds.c ---------------------------------------------------------------------------- */

/* Runs of it with these seeds, told as lines; scratch: a directory for their files. */
int seeds_run(const struct campaign_unit *u, const struct campaign_test *t, uint64_t timeout_s,
              const char *scratch, struct str *out, struct err *err);
/* What such lines say, into the state of the test. */
int seeds_merge(struct campaign_tested *t, struct text lines, const char *policy,
                struct arena *mem, struct err *err);
/* Takes a schedule; true: it is a new one, as far as can be told. */
bool schedules_add(struct campaign_tested *t, uint64_t hash);

/* ---- state.c ---------------------------------------------------------------------------- */

int state_write(const struct campaign *c, const struct campaign_state *s, struct err *err);

/* ---- merge.c ---------------------------------------------------------------------------- */

/* Which findings are one: the same id, in the same files. */
uint64_t finding_key(const struct finding *f);
/* Adds the results of a round. Without may_miss, one that is not there is an error. */
int merge_round(const struct campaign *c, const struct campaign_round *r,
                struct campaign_state *s, bool may_miss, struct err *err);

/* ---- next.c ----------------------------------------------------------------------------- */

/* Round 1. */
void next_first(const struct campaign_plan *p, campaign_units *out);
/* What the state calls for; it remembers what it was given. */
void next_plan(const struct campaign_plan *p, struct campaign_state *s, struct arena *mem,
               campaign_units *out);

#endif
