/* SPDX-License-Identifier: Apache-2.0
 *
 * campaign: much work for many machines, as a directory of files. It is planned as units, each
 * a line of text that one process does alone and whose outcome is one file; what the outcomes
 * of a round call for is planned as the next round. Who does the units is somebody else's
 * business (docs/campaign.md, docs/decisions/074-campaigns.md).
 *
 *   line-words.c      lines of words, quoted as a shell would
 *   files.c           where everything lies; the hashes of what is executed
 *   campaign-plan.c   tests and settings, units and rounds, in and out
 *   tests.c           the tests of CTest and Meson
 *   result.c          the file of one unit
 *   unit.c            one unit, done
 *   seeds.c           the kind explore: runs without a record
 *   merge.c           what all units came to, in the order of their numbers
 *   state.c           the file of that
 *   next.c            what it calls for
 *   local.c           the processors of this machine as an engine
 *   slurm.c           Slurm as one */
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "finding/finding.h"

/* ---- the plan --------------------------------------------------------------------------- */

typedef VEC(const char *) campaign_words;

/* A program with its arguments and what it reads; or a trace, which is its only word. */
struct campaign_test {
    const char *name;      /* for people; no two have the same */
    const char *directory; /* where it works, from the root */
    const char *input;     /* file that is its standard input; "": none */
    campaign_words set;    /* "VARIABLE=VALUE" */
    campaign_words argv;   /* not empty; without the NULL */
    uint64_t chunks; /* it is a trace that is predicted from in so many units; 0: a program */
};

/* What has to be the same bytes wherever a unit is done. */
struct campaign_file {
    const char *path, *hash;
    const char *whose; /* path of the program or input that needs it; "": all do */
};

struct campaign_plan {
    struct arena mem;
    uint64_t runs;      /* that explore, for each test */
    uint64_t seconds;   /* for the campaign; 0: until nothing new comes */
    uint64_t timeout_s; /* for one run; 0: the usual one */
    uint64_t check_s;   /* of the processor, for the check in one unit */
    uint64_t memory_mb; /* for a trace that is predicted from; 0: by the host */
    campaign_words policies;
    VEC(struct campaign_test) tests;
    VEC(struct campaign_file) files;
    campaign_words patches; /* each judged with every test */
    campaign_words mutants; /* sources */
};

void campaign_plan_done(struct campaign_plan *p);

static inline void auto_campaign_plan(struct campaign_plan *p)
{
    campaign_plan_done(p);
}

/* Words of a line as a shell would cut it. -1: a quote that does not end, or a newline. */
int campaign_split(struct arena *mem, struct text line, campaign_words *out, struct err *err);

/* Adds a test: its program is found and made absolute, its name made. */
int campaign_add_test(struct campaign_plan *p, const char *directory,
                      const campaign_words *argv, const char *input, const campaign_words *set,
                      struct err *err);
/* Adds a trace. */
int campaign_add_trace(struct campaign_plan *p, const char *path, uint64_t chunks,
                       struct err *err);
/* Adds those that CTest or Meson has in this build directory. */
int campaign_add_ctest(struct campaign_plan *p, const char *directory, struct err *err);
int campaign_add_meson(struct campaign_plan *p, const char *directory, struct err *err);

/* Hashes what will be executed, makes the directory and plans the first round. heddle: our own
 * executable. */
int campaign_new(struct campaign_plan *p, const char *directory, struct err *err);

/* ---- units ------------------------------------------------------------------------------ */

enum unit_kind {
#define KIND(name, word, meaning) UNIT_##name,
#include "campaign/kind.def"
#undef KIND
    UNIT_KINDS
};

const char *unit_kind_word(enum unit_kind kind);

struct campaign_unit {
    uint64_t number;
    enum unit_kind kind;
    uint32_t test; /* of the plan; for mutants the source */
    const char *policy;
    uint64_t seed, runs;
    uint64_t from;        /* confirm: whose witnesses */
    campaign_words ids;   /* confirm */
    campaign_words sites; /* explore, targeted */
    const char *patch;    /* verify */
    uint64_t part, parts; /* predict */
};

/* Units are numbered through all rounds; a round begins at a multiple of this. */
enum { CAMPAIGN_GROUP = 1000 };

struct campaign_round {
    uint32_t number;       /* from 1 */
    uint64_t first, count; /* units */
};

struct campaign {
    const char *directory; /* borrowed */
    struct campaign_plan plan;
    VEC(struct campaign_round) rounds;
};

int campaign_open(struct campaign *c, const char *directory, struct err *err);
void campaign_close(struct campaign *c);

static inline void auto_campaign(struct campaign *c)
{
    campaign_close(c);
}

static inline const struct campaign_round *campaign_last(const struct campaign *c)
{
    CHECK(c->rounds.len > 0);
    return &c->rounds.at[c->rounds.len - 1];
}

bool campaign_has_result(const struct campaign *c, uint64_t unit);
bool campaign_is_stopped(const struct campaign *c);
int campaign_stop(const struct campaign *c, struct err *err);   /* leaves the word */
int campaign_resume(const struct campaign *c, struct err *err); /* takes it back */
/* Its time is over. */
bool campaign_is_late(const struct campaign *c);
/* The clock of its time begins, if it has not. */
int campaign_begin(const struct campaign *c, struct err *err);
/* "record bank pct:2": what a unit is about. */
void campaign_describe(struct str *out, const struct campaign *c,
                       const struct campaign_unit *u);
/* All of a round, in order. Texts live in mem. */
typedef VEC(struct campaign_unit) campaign_units;
int campaign_read_units(const struct campaign *c, const struct campaign_round *r,
                        struct arena *mem, campaign_units *out, struct err *err);
void campaign_units_done(campaign_units *units);

enum unit_end {
    UNIT_DONE,    /* there is a result, now or since earlier */
    UNIT_FAILED,  /* there is none, but may be if it is tried again */
    UNIT_REFUSED, /* this host is not as planned, the plan says nothing of it, or a stop */
};

/* Does it, unless that was done. err says why there is no result. */
enum unit_end campaign_do(const struct campaign *c, uint64_t unit, struct err *err);
/* It was tried often enough: its result is that there is none. */
int campaign_give_up(const struct campaign *c, uint64_t unit, struct err *err);
/* Why the last try failed; NULL in err: not known. */
void campaign_failure(const struct campaign *c, uint64_t unit, struct str *out);

/* ---- results ---------------------------------------------------------------------------- */

/* How often a finding was seen in a test. */
struct campaign_seen {
    uint32_t test;
    uint64_t count;
};

struct campaign_source {
    uint64_t unit; /* whose witness it is */
    uint32_t test;
};

enum { SOURCES_MAX = 3 };

struct campaign_found {
    VEC(struct campaign_seen) seen;
    struct campaign_source sources[SOURCES_MAX];
    uint32_t source_count, tried; /* of these, by units that confirm */
    uint32_t round;               /* in which it was first seen */
    bool aimed;                   /* runs were aimed at its places */
    uint64_t rank;                /* of the unit that its words are from */
};

/* Runs of a test that ended in the same way. */
struct campaign_end {
    const char *words;
    uint64_t count;
    bool failed, looked_at;
    const char *policy; /* of the first */
    uint64_t seed;
};

/* Schedules that differ: exact while they are few, then from the smallest hashes. */
enum { SCHEDULES_KEPT = 256 };

struct campaign_tested {
    uint64_t records, runs; /* recorded; explored */
    uint64_t planned;       /* that explore: seeds used up, for each policy */
    uint64_t recorded_seed; /* the next one for records */
    uint64_t steps;         /* of the longest recorded run */
    uint64_t new_schedules; /* in the last round */
    uint32_t new_findings;
    uint64_t undecided;
    bool judged;             /* it can be run */
    VEC(uint64_t) schedules; /* sorted */
    VEC(struct campaign_end) ends;
};

struct campaign_lost {
    uint64_t unit;
    const char *why;
};

struct campaign_verdict {
    uint32_t test;
    const char *patch, *words;
};

struct campaign_state {
    uint32_t round; /* up to which it counts */
    uint64_t units, missing;
    struct finding_list list;
    VEC(struct campaign_found) found; /* by finding */
    VEC(struct campaign_tested) tests;
    VEC(struct campaign_lost) lost;
    VEC(struct campaign_verdict) verdicts;
    struct map by_key; /* of findings */
};

void campaign_state_done(struct campaign_state *s);

static inline void auto_campaign_state(struct campaign_state *s)
{
    campaign_state_done(s);
}

/* How many tell schedules apart; is_exact: no estimate. */
uint64_t campaign_schedules(const struct campaign_tested *t, bool *is_exact);

/* What the rounds up to this one came to; 0: nothing yet. */
int campaign_read_state(const struct campaign *c, uint32_t round, struct campaign_state *out,
                        struct err *err);
/* Merges the last round, if that was not done, and plans the next one. 1: there is nothing more
 * to do. Units without a result are an error unless may_miss. */
int campaign_step(struct campaign *c, bool may_miss, struct err *err);
/* The newest state that there is, sorted for people. */
int campaign_report(const struct campaign *c, struct campaign_state *out, struct err *err);

/* By host: units and milliseconds, of all results; "host n1: 12 units, 34.5 s" each on a line,
 * and where each finding was seen. */
int campaign_say_hosts(const struct campaign *c, struct str *out, struct err *err);

/* ---- engines ---------------------------------------------------------------------------- */

/* Does everything here, so many units at a time. 1: stopped early. */
int campaign_run_local(struct campaign *c, uint32_t jobs, void (*say)(const char *line),
                       struct err *err);

struct campaign_slurm {
    const char *options; /* for sbatch, as a shell would cut them */
    uint64_t throttle;   /* units at a time; 0: Slurm's own limits */
    bool dry_run;        /* write the scripts only */
};

/* Submits the last round and what comes behind it, and returns. */
int campaign_run_slurm(struct campaign *c, const struct campaign_slurm *o, struct str *said,
                       struct err *err);
/* In a job behind the arrays of a round: merges it, and submits what is next. */
int campaign_go_on_slurm(struct campaign *c, struct str *said, struct err *err);
/* Cancels what was submitted. */
int campaign_cancel_slurm(const struct campaign *c, struct err *err);

#endif
