/* SPDX-License-Identifier: Apache-2.0
 *
 * judge: what the stages of a verification share.
 *
 *   before.c   failing runs of the program before
 *   fitting.c  which of them to begin with
 *   unenforced.c the failing schedule, with locks that are recorded and not enforced
 *   trial.c    runs of the program after, and what a failing one means
 *   stuck.c    what a deadlock is about
 *   rewait.c   waits whose condition is not looked at again
 *   swan.c     suspicious violations: found, refuted, tried
 *   beyond.c   what the paper leaves out: prediction, deadlocks, exploration
 *   bounded-proof.c the proof where nothing can be compared: all schedules with few preemptions
 *   misuse-new.c an unlock too many, and the like
 *   cost.c     what the change costs
 *   missing.c  what the change would have needed
 *   verify.c   the stages in their order */
#ifndef VERIFY_JUDGE_H
#define VERIFY_JUDGE_H

#include "verify/identity.h"
#include "verify/reachable.h"
#include "verify/suspect.h"
#include "verify/verify.h"

/* A failing run of the program before. */
struct failing {
    const char *directory, *kind;
    uint32_t misfits; /* orders of accesses that the program after does not allow */
};

/* A violation that the first of two traces left open. */
struct pending {
    uint64_t name, places;
    const char *what, *why;
};

struct judge {
    struct verify_opts own; /* the user's, and how long a run may take */
    const struct verify_opts *o;
    struct verify_verdict *out;

    /* before */
    bool has_failing;
    struct str failing;        /* directory of its failing run */
    struct run_result failed;  /* how that ended */
    struct str kind;           /* the same in a few words: assert bank.c:40 */
    VEC(const char *) kinds;   /* of failures that it has besides the one at hand */
    VEC(struct failing) found; /* if they were looked for */
    const char *hang;          /* directory of one that did not end, or NULL */
    uint32_t hangs;
    struct trace before; /* of the failing run */
    bool has_alone;      /* it ran undisturbed: STORE/before-fresh */
    struct run_result alone;

    /* after */
    struct run_server *server;
    struct run_world *in;     /* where its runs work; NULL: in place */
    uint32_t made;            /* directories of runs */
    struct str fresh;         /* directory of a run that nobody disturbed */
    bool has_passed;          /* that went well */
    const char *misuse;       /* of a lock or the like, that the change brings; or NULL */
    struct trace fresh_trace; /* its trace, walked */
    uint64_t fresh_events;
    struct reachable *reach; /* of the sites in there, or NULL */
    struct str followed;     /* of the one that followed the failing schedule, or empty */

    struct str unenforced; /* of the one whose added locks were not enforced, or empty */
    struct map judged;     /* violations by name: counted already */
    VEC(struct pending) pending;

    bool is_decided; /* broken */
    bool is_finding; /* before has no failing run at hand, but a confirmed finding */
    bool is_odd;     /* a run says more about itself than about the program, or failed once */
    const char *why_not; /* the bounded proof was not had, or "" */
    uint32_t wrongs;     /* findings predicted in after that are wrong whatever they do */
    bool is_outside;     /* both fail, whatever the schedule: no verdict */
};

/* A text that lives as long as the verdict. */
const char *judge_text(struct judge *j, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- before.c ---------------------------------------------------------------------------- */

/* Finds failing runs; the first one is at hand. */
int before_find(struct judge *j, struct err *err);
/* 1: it fails like this whatever the schedule, and undisturbed too: the reason may well be
 * outside (a file, a port, an argument), and is not what a schedule brings about. */
int before_fails_always(struct judge *j, const struct run_result *like, struct err *err);
/* Another one is. */
int before_take(struct judge *j, const char *directory, struct err *err);

/* ---- fitting.c --------------------------------------------------------------------------- */

/* Of the failing runs that were found, the one is at hand that the program after hinders least:
 * the order of its accesses fits best with the locks that an undisturbed run took. They are
 * sorted so. */
int failing_choose(struct judge *j, struct err *err);

/* ---- trial.c ----------------------------------------------------------------------------- */

/* One run of the program after: with a witness, greedily (greedy not NULL) or to the letter, or
 * undisturbed (w NULL). directory is made below the store. */
struct trial {
    struct run_guided run;
    struct str directory;
};
int trial_run(struct judge *j, const struct witness_file *w, const struct run_greedy *greedy,
              struct trial *out, struct err *err);
void trial_done(struct trial *t);

/* Did it fail? Not if it says more about the run than about the program. */
bool is_failure(const struct run_result *r);
bool is_hanging(const struct run_result *r); /* it was ended because it took too long */
/* A failure that the program before has too, and that is not the one at hand. */
/* The program before fails like this, but what is judged is something else. */
bool is_apart(const struct judge *j, const struct run_result *r);
bool is_known_failure(struct judge *j, const struct run_result *r);
/* What makes two failures the same, in the program before and the one after. */
const char *failure_name(struct judge *j, const struct run_result *r);

/* Decides: broken, if the run fails once more when it is replayed; else that is left open.
 * numbers: events of the run's trace that it is about, in their order. */
void judge_broken(struct judge *j, const struct run_result *r, const char *directory,
                  enum verify_found found_by, const uint64_t *numbers, uint32_t count);

/* The whole schedule of a recorded run as a witness. */
int witness_of_run(struct witness_writer **out, struct trace *t, const uint64_t *numbers,
                   uint32_t count, const char *pattern, char *const *argv, struct err *err);

/* ---- stuck.c ----------------------------------------------------------------------------- */

/* Where the threads of a run that ended so wait, who took what they wait for, and what would
 * have let them go on. */
void stuck_tell(verify_steps *steps, struct str *missing, const char *directory);

/* ---- rewait.c ---------------------------------------------------------------------------- */

/* A failing run: says of which wait the condition should have been looked at again; nothing if
 * of none. */
void rewait_tell(struct str *out, const char *directory);

/* ---- swan.c, beyond.c, cost.c, missing.c ------------------------------------------------- */

/* The failing schedule on the program after, the locks that the change adds recorded and not
 * enforced; nothing is made where it adds none, or the schedule does not fit. */
int unenforced_run(struct judge *j, struct err *err);
/* The failing schedule, in terms of the program after. 1: nothing of it is left there. */
int map_schedule(struct judge *j, struct witness_file **out, struct witness_writer **writer,
                 struct err *err);

/* Directory of a trial by its number. */
void trial_path(const struct judge *j, uint32_t number, struct str *out);

/* Decides: broken, by a smaller run that fails in the same way where one is found, and says
 * which violation that shows and what is missing. */
int culprit_broken(struct judge *j, const struct run_result *r, const char *directory,
                   enum verify_found found_by, struct err *err);
int swan_unenforced_stage(struct judge *j, struct err *err);
int swan_stage(struct judge *j, struct err *err);
/* The same, and counts what is suspicious in it if nobody has. */
int swan_broken(struct judge *j, const struct run_result *r, const char *directory,
                enum verify_found found_by, struct err *err);
int predict_stage(struct judge *j, struct err *err);
/* The same on further runs of the program after. */
int predict_further(struct judge *j, uint32_t runs, struct err *err);
/* Confirmed findings of the program before, where no run of it failed. */
int predict_before_confirmed(struct judge *j, struct err *err);
int explore_stage(struct judge *j, struct err *err);
/* Failing rows decide; -1 on errors. */
int take_table(struct judge *j, const struct run_table *table, enum verify_found found_by,
               bool is_fair, struct err *err);
struct run_many_opts many_opts(struct judge *j, uint64_t runs);
int bounded_stage(struct judge *j, struct err *err);
bool bounded_proves(const struct judge *j);
int misuse_stage(struct judge *j, struct err *err);
int cost_stage(struct judge *j, struct err *err);

/* "write of x at a.c:3 by T2 between read at a.c:9 and write at a.c:10 of T1" */
void violation_tell(struct str *out, const struct model *m, const struct violation *v);
/* What would exclude it: which lock, from which line to which. */
void missing_tell(struct str *out, const struct model *m, const struct violation *v);
/* "excluded by `m`: both sections now hold it" */
void excluded_tell(struct str *out, const struct model *m, const struct violation *v);

#endif
