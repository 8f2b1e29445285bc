/* SPDX-License-Identifier: Apache-2.0
 *
 * predict: which races, deadlocks and atomicity violations could other schedules of the events
 * of one trace show? A query asks about some of its events; the answer yes comes with a
 * witness that has passed witness_check. */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "finding/finding.h"
#include "witness/witness.h"
#include "model/model.h"

enum answer {
    ANSWER_NO,      /* no schedule of these events shows it */
    ANSWER_YES,     /* the witness does */
    ANSWER_UNKNOWN, /* none was found, or the trace has events that are not modelled */
};

struct predictor;

struct predict_stat {
    uint64_t queries, clocks_no, sync_no, closure_no, trace_order, windows, searches, full,
        not_found;
    uint64_t too_long;        /* queries that met the limit on work: undecided */
    uint64_t work, work_most; /* of all queries, and of the one that cost most */
    uint64_t cut_short;       /* searches for candidates that met their limit */
    uint64_t refused; /* witnesses that the checker did not accept: always a fault of ours */
};

/* The model is borrowed. */
struct predictor *predictor_new(const struct model *m, enum mode mode, struct err *err);
void predictor_free(struct predictor *p);

static inline void auto_predictor(struct predictor **p)
{
    predictor_free(*p);
}

/* How much work a query may cost, about in nanoseconds (it is counted, not measured: the same
 * input gives the same answers). Without it: 25 ms. */
void predict_limit(struct predictor *p, uint64_t work);

/* So many threads work on it at once; 0: one for each core. The answers do not depend on it. */
void predict_jobs(struct predictor *p, uint32_t jobs);

/* Once it returns something else than 0, nothing more is decided: answers are unknown. */
void predict_stop_when(struct predictor *p, int (*stop)(void));
/* What the source declares: variables and fields of these names are guarded by locks; the same
 * number is the same lock. Borrowed. */
struct predict_guard {
    const char *name;
    uint32_t lock;
};
struct predict_guards {
    const struct predict_guard *at;
    uint32_t len;
};
void predict_declared(struct predictor *p, struct predict_guards guards);

/* A part of the everyday search, of so many: some patterns, and the races on some cells. */
struct predict_part {
    uint32_t number, of; /* from 1 */
};
enum { PREDICT_PARTS_MAX = 64 };
/* The next search is this part alone. */
void predict_only_part(struct predictor *p, struct predict_part part);
/* Is told, from any thread, when one more of the patterns of a search is done. */
void predict_watch(struct predictor *p, void (*watch)(uint32_t done, uint32_t all));

/* Decides a query; out, if not NULL, gets the witness of a yes (it is emptied first). */
enum answer predict(struct predictor *p, const struct query *q, struct witness *out);

/* The same for many queries, which is cheaper than one by one. */
void predict_all(struct predictor *p, const struct query *q, uint32_t count,
                 enum answer *answers);

/* Names of the kinds of events in the trace that are not modelled, "a, b", or "" if none. */
const char *predict_unmodelled(const struct predictor *p);
/* Why the trace itself is no execution, or "". Then every no is unknown. Cheapest after the
 * everyday search, which has executed most of it then. */
const char *predict_broken(struct predictor *p);
struct predict_stat predict_stat(const struct predictor *p);
/* What the checker said about the last witness it refused. */
const char *predict_refusal(const struct predictor *p);

/* ---- text ------------------------------------------------------------------------------- *
 * race E1 E2 | dl K Q1..QK | av E1 E2 E3 PATTERN ... | ord K E1..EK BITS | next K N E1..EK |
 * blocked K N E1..EK */

/* -1: the line is no query of this notation. */
int query_parse(struct query *out, struct text line, struct err *err);

/* ---- what to ask about ------------------------------------------------------------------ */

/* Why two accesses of a thread are meant to belong together, strongest first. */
enum group {
    GROUP_NONE,
    GROUP_REGION,    /* the source marks a region around them */
    GROUP_SECTION,   /* one section of a lock holds both */
    GROUP_DEPENDENT, /* two sections of a lock; the second depends on what the first read */
    GROUP_STATEMENT, /* one statement of the source */
    GROUP_UPDATE,    /* an atomic load, and a store of what was computed from it */
    GROUP_DECLARED,  /* variables that are declared to be guarded by the same lock */
    GROUP_SET,       /* variables that the rest of the program uses together, under a lock */
};

const char *group_text(enum group group); /* "section"; NULL for none */

struct pattern;

enum { ABOUT_MAX = 8 };

/* By which of the filters in struct refuted a question was answered. */
enum refuter { REFUTER_NONE, REFUTER_ORDER, REFUTER_SYNC, REFUTER_CLOSURE };

/* When the everyday search came to a question. Parts of a search count their tries apart: what
 * the whole would not have asked any more is seen from this (parts.c). */
struct asked_at {
    uint32_t search;      /* which of them, in the order of the patterns */
    ev_id event;          /* of searches that are cut: where along the trace, ... */
    cell_id cell;         /* ... at which of the event's cells ... */
    uint64_t key, way;    /* ... and what counts the tries; 0: nothing does */
    bool is_refused;      /* it was a yes until the checker looked */
    enum refuter refuter; /* what said no */
};

struct predicted {
    const struct pattern *pattern;
    struct asked_at at;
    struct query query;
    /* The events that it is about, if the query asks about others on the way to them. */
    uint32_t about_count;
    uint64_t about[ABOUT_MAX];
    const char *shape; /* atomicity: "RWR", "WRRW"; else NULL */
    enum group group;  /* atomicity: why the accesses of the first event's thread ... */
    enum group other; /* ... and, with several variables, of the other thread belong together */
    uint32_t site;    /* double-free: of the first one, which is not among the events; else 0 */
};

typedef void (*predicted_fn)(void *arg, const struct predicted *found, enum answer answer);

struct scan;

/* One kind of bug. list visits every instance of it in the trace, with its answer (NULL: it is
 * not among what is listed); scan takes those that are worth a look and, for the same sites,
 * stops at the first that can happen (NULL: another pattern's scan finds it). */
struct pattern {
    enum pattern_id id;
    /* What its search takes beside that of races on one share of the cells, if there are parts
     * (docs/results.md, long traces). 0: a little. */
    uint32_t cost;
    void (*list)(struct predictor *p, predicted_fn found, void *arg);
    void (*scan)(struct scan *s);
};

#define SEARCHED(name, tell, explain, where) extern const struct pattern pattern_##name;
#include "predict/searched.def"
#undef SEARCHED
extern const struct pattern *const patterns[]; /* NULL ends */

/* What is told of one that can happen; the texts live in mem. */
void predict_tell(const struct model *m, const struct predicted *x, struct arena *mem,
                  struct finding *out);

/* The outcome of the everyday search, merged by cause. */
struct findings {
    struct finding_list list;        /* in the order of the patterns, then as found */
    VEC(struct predicted) predicted; /* by finding */
};

void predict_findings(struct predictor *p, struct findings *out);
void findings_done(struct findings *f);

/* ---- a search in parts ------------------------------------------------------------------ */

/* A question, and what came of it. */
struct part_row {
    struct asked_at at;
    enum pattern_id pattern;
    enum answer answer;
    uint32_t finding; /* of the part's list; NONE: it was no yes */
    uint32_t count, sites[QUERY_MAX];
    struct query query; /* of a yes */
};

struct search_part {
    struct predict_part part;
    uint64_t trace_events;
    const char *mode; /* in which it was predicted */
    VEC(struct part_row) rows;
    struct finding_list list;        /* one for each yes; what was excluded and left out */
    VEC(struct predicted) predicted; /* by finding; empty if it was read */
};

/* What the predictor's part of the search answers. */
void predict_rows(struct predictor *p, struct search_part *out);
void search_part_print(const struct search_part *s, struct str *out);
int search_part_parse(struct search_part *out, struct text text, struct err *err);
void search_part_done(struct search_part *s);
/* All parts of one search, in any order, become what the whole search finds. Takes the texts of
 * their lists over; -1: they do not belong together, or some are missing. */
int predict_join(struct search_part *parts, uint32_t count, struct findings *out,
                 struct err *err);

static inline void auto_search_part(struct search_part *s)
{
    search_part_done(s);
}

static inline void auto_findings(struct findings *f)
{
    findings_done(f);
}

/* Every pattern in turn, or one (PATTERN_COUNT: all); found is called for every query that was
 * decided. */
void predict_list(struct predictor *p, enum pattern_id only, predicted_fn found, void *arg);
void predict_scan(struct predictor *p, predicted_fn found, void *arg);

#endif
