/* SPDX-License-Identifier: Apache-2.0
 *
 * run: start a target under the scheduler, bound it, and collect the run.
 *
 * A run is a directory: the runtime inside the target writes trace, schedule, input and
 * outcome; this side writes command and output, judges the result with the user's oracle, and
 * writes the outcome of a target that could not write its own. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "heddle/weak.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "witness/witness.h"
#include "trace/trace.h"

#include <sys/types.h>

struct run_server;
struct run_live;
struct run_world;
struct run_pool;

enum { RUN_TIMEOUT_S = 60 }; /* that a run may take, if nothing else is said */

struct run_opts {
    const char *policy; /* NULL: fifo; may carry a depth, as in pct:3 */
    uint64_t seed;
    const char *schedule;   /* replay this one */
    const char *guide;      /* follow this one; run_witness makes it */
    const char *plan;       /* exhaustive: the choices to begin with */
    const char *world;      /* with a schedule: log that answers for the world; NULL: none */
    const char *targets;    /* targeted: where to switch; run_targets makes it */
    const char *peers;      /* a run's `peers`: what comes through connections; NULL: ask */
    const char *client;     /* by sh -c, with every run, once it listens; NULL: nobody */
    uint32_t client_wait_s; /* for it to listen; 0: the default */
    bool alone;             /* who talked to the recorded one is neither there nor played */
    bool gives_up;          /* with a guide: ends where that cannot be followed */
    bool nudged;            /* it says only where to leave fifo, see run_nudge */
    uint64_t steps_max;     /* 0: the runtime's default */
    uint64_t delay_us;      /* others may be late for a wait to time out; 0: the default */
    bool expired_waits;     /* waits may time out however late others would be */
    uint32_t stall_ms;      /* that a thread may compute without a step; 0: any time */
    uint32_t timeout_s;     /* 0: the default */
    const char *oracle; /* run by sh -c: stdin is the target's stdout, HEDDLE_EXIT its code */
    const char *expect; /* file that the target's stdout must equal, */
    bool expect_lines;  /* or have the lines of, in any order */
    bool show_output;   /* pass what the target prints on to our own stdout and stderr */
    bool no_children;   /* forked ones are left alone, not recorded and judged too */
    uint32_t children_max;     /* that are recorded; 0: the usual limit */
    bool spurious;             /* condition waits may return unasked: random, pos, targeted */
    enum weak_mode weak;       /* explore weak behaviour; a schedule to replay says it itself */
    uint32_t weak_history;     /* stores kept of each atomic object; 0: the default */
    bool no_trace;             /* outcome and schedule only */
    uint64_t pace_ns;          /* virtual time that a step takes; 0: as usual */
    bool keep_before;          /* what there was where it changes files, in `before` */
    unsigned passes;           /* 1 or 2; 0: two if everything is more than the budget */
    uint64_t budget_bytes;     /* of a trace with everything; 0: no limit */
    bool find_shared;          /* write what is shared to the file `shared` */
    const char *shared;        /* record what this file says is shared, and nothing else */
    const char *input;         /* file that becomes its stdin; NULL: ours (run_share_stdin) */
    const char *directory;     /* where it works; NULL: where we do */
    struct run_world *in;      /* borrowed: it works in there, instead; NULL: in place */
    struct run_server *server; /* borrowed: copies of the program; NULL: started anew */
    uint64_t stop;             /* event before which __heddle_stop is called, plus 1; 0: none */
    bool window;               /* record everything: see run_window */
    bool calls;                /* record which functions are entered and left */
    uint64_t end;              /* number of events at which to end, plus 1; 0: none */
    bool aslr;                 /* leave addresses to chance */
    uint32_t cpu;              /* the how many-th processor it is to use; 0: any */
    bool family;               /* it is none of ours, but may start some that are */
    const char *process; /* the forked child that the run is about; NULL: the program itself */
    bool judges_all;     /* with a process: how the program itself ended counts, too */
};

/* Something because of which the end of a run says less than it seems to. */
struct run_doubt {
    enum doubt why;
    struct str detail; /* owned: what it is about; may be empty */
};
typedef VEC(struct run_doubt) run_doubts;

/* Where a thread stands; the texts are borrowed from the result's arena, "" if not known. */
struct run_stand {
    const char *file, *function;
    uint32_t thread, line;
};

/* A thread that holds what another one waits for, and where it came to hold it. */
struct run_holder {
    struct run_stand at;
    bool has_ended;
};

/* A thread that could not go on when the run ended. */
struct run_wait {
    struct run_stand at;
    uint8_t kind;                        /* WAITS word */
    const char *name;                    /* of what it waits for; borrowed, may be "" */
    uint64_t object;                     /* its address; 0: none */
    uint32_t number, of;                 /* as in struct log_wait */
    uint32_t holder_first, holder_count; /* in the result's holders */
};

/* How a run ended. */
struct run_result {
    uint8_t outcome;   /* OUTCOME word */
    int code;          /* exit code, or signal */
    struct str text;   /* owned: the outcome in full, several lines */
    run_doubts doubts; /* owned: as the runtime and this side met them */
    bool is_late;      /* the time limit ended it */
    uint64_t steps;    /* that it made, at most; 0: not known */
    struct str child;  /* owned: the forked child whose end it is: child-2/child-1; or empty */
    bool heard;        /* its parent asked how it ended, and then ended well */
    struct arena mem;  /* owned: texts of the waits */
    VEC(struct run_wait) waits; /* owned */
    VEC(struct run_holder) holders;
};

/* prog.heddle/runs in the current directory, prog being the program's base name; made. */
/* Before anything runs: the files that a run is given are there and are what they should be. */
int run_check_files(const struct run_opts *opts, struct err *err);
int run_store(struct str *out, const char *prog, struct err *err);
/* From here on all prog.heddle lie in this directory instead; which one, with its slash. */
void run_store_in(const char *directory);
const char *run_store_place(void);
/* Directory for the next run in there: made, and numbered one higher than the last, which is
 * *number or, if that is 0, the highest there is. */
int run_next(struct str *out, const char *runs, uint32_t *number, struct err *err);
int run_directory(struct str *out, const char *prog, uint32_t *number, struct err *err);
int run_make_directory(const char *path, struct err *err);
void run_clear(const char *directory); /* removes the files in it */
/* Removes it and what is in it. */
void run_remove(const char *directory);
void run_remove_tree(const char *path);
int run_rename(const char *from, const char *to, struct err *err);
/* Makes prog.heddle/runs/last point to it. */
int run_link_last(const char *directory, struct err *err);

/* ---- old runs --------------------------------------------------------------------------- */

struct run_old {
    struct str path; /* owned */
    uint64_t bytes;  /* on the disk */
};
typedef VEC(struct run_old) run_olds;

typedef VEC(const char *) run_names; /* directories */

/* Appends the runs of home (prog.heddle) but for the newest `keep`, `last` and those wanted,
 * oldest first, and all runs that confirmed findings; *kept grows by the number of runs that
 * stay. */
int run_find_old(run_olds *out, const char *home, const run_names *wanted, uint64_t keep,
                 uint64_t *kept, struct err *err);
/* 1: it was gone already. */
int run_remove_old(const struct run_old *old, struct err *err);
void run_olds_done(run_olds *olds);

/* ---- programs --------------------------------------------------------------------------- */

/* Is our runtime in this program, found as execvp would find it? */
bool run_is_ours(const char *program);

/* A place in the source that the program was instrumented at. */
struct run_site {
    const char *file, *function, *name; /* borrowed: live in the program's bytes */
    uint32_t line;
    bool is_private; /* known not to matter to other threads: never recorded */
    bool is_access;  /* recorded whenever it is done */
    bool is_unknown; /* a call of `name`, a function that the compiler knows nothing of */
};

/* What a file tells about its program. The texts are borrowed: they live in its bytes. Shared
 * libraries are files of their own. */
struct run_program {
    struct bytes bytes; /* owned */
    bool is_elf, is_dynamic, is_ours;
    VEC(struct run_site) sites;
    VEC(const char *) units;   /* sources that were instrumented */
    VEC(const char *) objects; /* sources of all objects, if it was not stripped */
    VEC(const char *) imports; /* symbols that its libraries have to bring */
    struct bytes bitcode;      /* borrowed: the section heddle_bitcode */
};

int run_program_read(struct run_program *out, const char *program, struct err *err);
void run_program_done(struct run_program *p);

static inline void auto_run_program(struct run_program *p)
{
    run_program_done(p);
}

/* A program of ours that waits before its first instruction and is copied for every run: a run
 * then costs little more than what the program does itself. One server may have many runs at a
 * time. */
int run_server_open(struct run_server **out, char *const *argv, bool aslr, struct err *err);
void run_server_close(struct run_server *s);

/* From here on every run gets all of our stdin from where it stands, instead of what the runs
 * before it have left there. Not of a terminal. */
void run_share_stdin(void);

/* argv ends with NULL. -1 only if it could not be started or recorded at all. */
int run_target(struct run_result *out, char *const *argv, const char *directory,
               const struct run_opts *opts, struct err *err);
/* The same in three parts, for several runs at a time, at most RUN_JOBS_MAX. run_wait says
 * which one has ended (of several, the first in the list). run_end takes it. */
enum { RUN_JOBS_MAX = 64 };
int run_begin(struct run_live **out, char *const *argv, const char *directory,
              const struct run_opts *opts, struct err *err);
uint32_t run_wait(struct run_live *const *all, uint32_t count);
int run_end(struct run_live *r, struct run_result *out, struct err *err);
void run_abandon(struct run_live *r); /* ends it; nothing is judged */
/* The same in one pass or two, as the options say; see passes.c. */
int run_passes(struct run_result *out, char *const *argv, const char *directory,
               const struct run_opts *opts, struct err *err);
void run_result_done(struct run_result *r);

/* From here on SIGINT, SIGTERM and SIGHUP do not end us: they are passed on to what runs, and
 * run_signal says which one came. */
void run_catch_signals(void);
int run_signal(void);

/* What a run that has ended printed on its stdout. False: that is not known. */
bool run_printed(struct str *out, const char *directory);
bool run_printed_on(struct str *out, const char *directory, uint32_t descriptor);
/* What `heddle run` exits with. */
int run_exit_code(const struct run_result *r);
/* From good to bad, as the outcomes are ordered. */
bool run_is_worse(const struct run_result *r, const struct run_result *than);
/* ": Assertion `x > 0' failed.": what the C library says of one, without its place. */
struct text run_assertion(const struct run_result *r);
/* False: its end says something about Heddle or the replay only, or a doubt forbids to conclude
 * anything from it. */
bool run_judges_program(const struct run_result *r);
/* It judges the program, which did not end well. */
bool run_failed(const struct run_result *r);
/* A thread waited in a loop for what is not modelled: others will take as long for nothing. */
bool run_spins_unseen(const struct run_result *r);
/* The program ended well, or was ended by us; its live client did not: that is the outcome. */
bool run_is_clients(const struct run_result *r);
bool run_had_client(const struct run_result *r);
/* It died of a signal by which people end programs. */
bool run_was_asked_to_end(const struct run_result *r);
/* Does it have a live client? Not if the log answers for the world. */
static inline bool run_has_client(const struct run_opts *o)
{
    return o->client && !o->world;
}
/* A watchdog of the program's own ended it: that says how long it took, not what was wrong. */
bool run_is_own_alarm(const struct run_result *r);

/* It waits for nothing in particular, but for somebody to change what it reads. */
static inline bool run_wait_spins(const struct run_wait *w)
{
    return w->kind == WORD_VALUE(WAITS, CHANGE);
}
/* "mutex m", "the end of T1" */
void run_wait_object(struct str *out, const struct run_wait *w);
/* "held by T0 since q.c:29 (close)", "2 of 3 there", or nothing */
void run_wait_held(struct str *out, const struct run_result *r, const struct run_wait *w);
/* All of them, a line each, and who waits for whom in a circle. */
void run_waits_say(struct str *out, const struct run_result *r);

/* Adds a doubt that this side has; the detail may be NULL. */
void run_doubt(run_doubts *all, enum doubt why, const char *detail);
/* The first doubt that forbids to conclude anything; NULL: there is none. */
const struct run_doubt *run_unjudged(const struct run_result *r);
/* The first of this kind; NULL: there is none. */
const struct run_doubt *run_has_doubt(const struct run_result *r, enum doubt why);
void run_doubts_done(run_doubts *all);
/* "DETAIL: SENTENCE" */
void run_doubt_say(struct str *out, const struct run_doubt *doubt);
/* What about time the run rests on, as the beginning of a sentence; true: a wait had to run out
 * for which others had to be very late. Nothing is added if there is nothing. */
bool run_rests_on(struct str *out, const struct run_result *r);

bool run_ended_well(const struct run_result *r); /* exit 0 */
/* The run of the process that ended so: the directory itself, or one of its children's. */
void run_failed_at(struct str *out, const char *directory, const struct run_result *r);
/* "exit 0", "crash SIGSEGV", "assert bank.c:40": what makes two outcomes the same; of a run
 * that does not end well and cannot be judged: "undecided input-missing". */
void run_kind(struct str *out, const struct run_result *r);

/* ---- a run that was recorded ------------------------------------------------------------ */

struct run_recorded {
    struct str path;           /* of its directory, from the root */
    struct str world;          /* what came from outside, if it was logged */
    struct str shared;         /* what threads share, if it was recorded in two passes */
    struct str peers;          /* what came through connections from outside, if anything did */
    VEC(char *) argv, env;     /* NULL ends both */
    char *directory, *build;   /* where it worked, which program it was; may be NULL */
    char *process, *made;      /* of a forked child: which one, where it was made; or NULL */
    struct run_result outcome; /* if not has_outcome, cut: it was killed */
    bool has_outcome;
    struct runfile schedule;
    uint64_t events;
    bool cut; /* the trace is */
};

int run_recorded_read(struct run_recorded *out, const char *run, struct err *err);
void run_recorded_done(struct run_recorded *r);

/* The runs of the forked children of a run, each before its own children; of a program that is
 * not ours, the runs of those of ours that it started. They lie in its directory, in the order
 * in which they began. */
typedef VEC(struct run_recorded) run_children;
void run_children_read(run_children *out, const char *run);
void run_children_done(run_children *children);
/* A forked child that executed another program, one that is not ours: its run ends there. */
bool run_became_another(const struct run_recorded *r);
/* Which process it is that was recorded there: 2/1 is the first child of the second child. */
void run_process(struct str *out, const char *run);

/* A place to run it again, with its own schedule or another one. */
struct run_again {
    const struct run_recorded *recorded;  /* borrowed */
    struct str files;                     /* directory of the new run's files */
    struct str schedule;                  /* the plan, a file in there */
    struct str plain_world, plain_shared; /* if these were packed */
    struct run_world *in;                 /* NULL: in place */
    uint32_t times;                       /* it was prepared */
};

/* Goes to the directory in which it was recorded. */
int run_again_open(struct run_again *out, const struct run_recorded *r, bool in_place,
                   struct err *err);
/* Everything but the run: opts becomes what the run would get. */
int run_again_prepare(struct run_again *a, const struct choice *choices, uint32_t count,
                      struct run_opts *opts, struct err *err);
int run_again(struct run_again *a, const struct choice *choices, uint32_t count,
              struct run_result *out, const struct run_opts *opts, struct err *err);
void run_again_close(struct run_again *a); /* and removes the files */
/* The run in this directory ended so: does it again, by its own schedule and log? Of opts count
 * the time limit and the check of its output. */
bool run_ends_again(const char *directory, const struct run_result *r,
                    const struct run_opts *opts, bool in_place);

/* Runs it once more and records everything, private accesses, branches, calls and their results
 * too: a trace for ir_paths, in a->files. 1: it did not go as recorded. */
int run_window(struct run_again *a, struct run_result *out, const struct run_opts *opts,
               struct err *err);

/* Runs it once more and records calls too: a->files has a trace that is the recorded one with
 * those added. 1: it did not go as recorded. */
int run_calls(struct run_again *a, const struct run_opts *opts, struct err *err);

/* ---- a schedule made smaller ------------------------------------------------------------ */

/* At this step of one thread another one goes on, where the policy fifo would have gone on
 * otherwise. */
struct run_nudge {
    uint32_t from, to;
    uint64_t step;
    uint32_t order; /* place in the schedule */
    uint16_t why;   /* SWITCH word */
};
typedef VEC(struct run_nudge) run_nudges;

struct run_minimize_opts {
    struct run_opts run;                                /* oracle, expect, timeout */
    uint64_t runs;                                      /* at most */
    uint64_t ms;                                        /* at most; 0: no limit */
    void (*progress)(uint64_t runs, uint32_t switches); /* may be NULL */
};

/* Leaves out switches as long as the run ends in the same way; out is what cannot be left out
 * one by one. 1: the switches of the recorded run do not lead to its end again. */
int run_minimize(struct run_again *a, const struct run_minimize_opts *opts, run_nudges *out,
                 uint64_t *runs, struct err *err); /* runs: made */
/* The run with these switches, recorded in full where it is to stay; it must end like the one
 * that they came from. */
int run_record_nudged(struct run_again *a, const run_nudges *set, const struct run_opts *opts,
                      const char *place, struct err *err);

struct run_shrink_opts {
    const struct run_opts *run; /* borrowed: what judges it */
    bool in_place;
    uint64_t runs, ms; /* at most, for each of two rounds */
};

/* The smallest run that ends in the same way and is found in that time: place is its directory,
 * beside that of the run; set: its switches. */
int run_shrink(struct str *place, run_nudges *set, const char *directory,
               const struct run_shrink_opts *opts);

/* Which build of the program this is: 16 hexadecimal digits; nothing if it cannot be read. */
void run_build(struct str *out, const char *program);
/* The same of any file. */
int run_file_hash(struct str *out, const char *path, struct err *err);
/* Where execvp would find it; false: nowhere. */
bool program_path(struct str *out, const char *name);

/* The settings that the runtime would get, for who starts the program himself: the value of
 * HEDDLE_RT. */
void run_settings(struct str *out, const char *directory, const struct run_opts *opts);

/* ---- a world of its own ------------------------------------------------------------------ *
 * Where the system allows it a run sees the same paths as we do, and changes nothing outside:
 * no file, port, queue or process. Else it works in a private copy of its directory. Each run
 * that begins in it (opts.in) finds it as if no other had been there. */

/* Are worlds allowed? *why (may be NULL): why not, or where changes lie ("": in memory). */
bool run_worlds(const char **why);
/* From here on only copies: the program does what worlds do not show as it is. */
void run_worlds_forbid(const char *why);
void run_worlds_drop(void); /* at the end of a command, when all are closed */

/* What runs in worlds from here on find is what there was before this run, where it has kept
 * that; else what is there now. */
void run_begins_before(const char *run); /* "": what is there now */
/* The same for the last run of this command, if nobody has been at its files since. True: there
 * was something to put back. */
bool run_begins_before_last(char *const *argv);

/* from: the directory in which its runs work. */
int run_world_open(struct run_world **out, const char *from, struct err *err);
void run_world_close(struct run_world *w);
/* Runs in it get the network outside. */
void run_world_network(struct run_world *w, bool is_outside);
bool run_world_is_copy(const struct run_world *w);
/* Where runs work, as they see it. */
const char *run_world_directory(const struct run_world *w);
/* fork, but the child is in there, in that directory. NULL: where we are. */
pid_t run_world_fork(struct run_world *w, struct err *err);
/* It is as if no run had been there; files: a directory that is the real one, or NULL. */
int run_world_reset(struct run_world *w, const char *files, struct err *err);
/* By sh -c, in a world in which no run has been yet; the next one that begins finds what it has
 * done. files: the directory of that run's files, or NULL. status: as from wait. */
int run_world_command(struct run_world *w, const char *command, const char *files, int *status,
                      struct err *err);

/* A copy of a directory that stays, at a place of the caller's. */
int run_copy_tree(const char *from, const char *to, struct err *err);

/* ---- many runs --------------------------------------------------------------------------- *
 * Each has a world of its own unless in_place. */

struct run_pool_opts {
    uint32_t jobs; /* at a time, at most RUN_JOBS_MAX; 0: one */
    bool in_place;
    const char *before_each; /* by sh -c in the run's directory; NULL: nothing */
    const char *scratch;     /* where files of runs lie until they are kept; NULL: the store */
    const char *store;       /* directory for runs that are kept; NULL: prog.heddle/runs */
};

/* A run that has ended. */
struct run_done {
    uint64_t id;
    struct run_result result;
    struct str directory; /* owned, files included, until it is renamed */
};

int run_pool_open(struct run_pool **out, char *const *argv, const struct run_pool_opts *opts,
                  struct err *err);
bool run_pool_is_full(const struct run_pool *p);
bool run_pool_is_idle(const struct run_pool *p);
/* The pool must not be full. The id comes back when it has ended. */
int run_pool_start(struct run_pool *p, uint64_t id, const struct run_opts *opts,
                   struct err *err);
/* Waits for one of those that run; the pool must not be idle. */
int run_pool_next(struct run_pool *p, struct run_done *out, struct err *err);
void run_done_drop(struct run_done *d); /* and removes its files */
void run_pool_close(struct run_pool *p);

struct run_many_opts {
    struct run_pool_opts pool;
    uint64_t runs;       /* with seeds that count up from opts->seed */
    bool until_fail;     /* no more once a run has failed */
    uint32_t unseen_max; /* no more once so many have spun on what is not modelled; 0: any */
    uint32_t keep;       /* failures to keep of each kind; the first of a kind always is */
    bool record_kept;    /* only those that are kept are recorded, by running them once more */
    bool outputs;        /* what they print is collected: table.outputs */
    void (*progress)(uint64_t done, uint64_t failed); /* may be NULL */
    /* One run at a time, planned from the one before (NULL: the first one): may change opts; 0:
     * no more, -1: failed. May be NULL. */
    int (*steer)(void *arg, const struct run_done *last, struct run_opts *opts,
                 struct err *err);
    void *steer_arg;
};

/* All runs that ended in the same way. */
struct run_row {
    struct str kind, directory; /* owned; the directory is that of the first one */
    struct run_result first;
    uint64_t id; /* of the first, from 0 */
    uint64_t count, kept;
};

/* What so many runs printed on their standard output. */
struct run_output {
    struct str text; /* owned */
    uint64_t count;
};

/* Each output once, in the order in which they came up first. */
struct run_outputs {
    VEC(struct run_output) all; /* owned */
    struct map by_hash;         /* owned: hash, or a number behind it -> index in all */
};

/* The text becomes empty: it is taken, or is there already. */
void run_outputs_add(struct run_outputs *o, struct str *text);
void run_outputs_done(struct run_outputs *o);

/* A doubt about what weak behaviour the runs showed, or what that means. */
struct run_weak_doubt {
    enum doubt why;
    struct str detail; /* owned: of the first of them */
    uint64_t runs;
};

/* A run that noticed a data race: the first that told of it in these words. */
struct run_racing {
    uint64_t id;     /* its seed is that of the first run and this */
    struct str told; /* owned */
};

enum { RUN_RACING_MAX = 16 };

struct run_table {
    VEC(struct run_row) rows;        /* the worst first */
    VEC(struct run_weak_doubt) weak; /* one of each kind */
    VEC(struct run_racing) racing;   /* at most RUN_RACING_MAX */
    uint64_t runs, failed;
    struct run_outputs outputs; /* of opts.outputs */
    uint64_t unread;            /* runs whose output is not known */
};

/* On failure the table holds what was found until then. */
int run_many(struct run_table *out, char *const *argv, const struct run_opts *opts,
             const struct run_many_opts *many, struct err *err);
void run_table_done(struct run_table *t);

/* ---- targets --------------------------------------------------------------------------- *
 * Reads a text with one site a line (docs/explore.md) and writes the file for opts.targets. */
int run_targets(const char *path, const char *out, struct err *err);

/* ---- witnesses --------------------------------------------------------------------------- */

/* How far a run came with its witness. */
struct run_guided {
    struct run_result result;
    bool followed;    /* to its end: everything happened as it says */
    bool conflict;    /* two accesses that stood side by side really overlap */
    uint32_t line;    /* index of the witness's first line that was not reached */
    uint64_t beside;  /* steps of other threads while the one whose turn it was had to wait */
    uint32_t dropped; /* lines of a greedy guide that could not come true */
    struct str why;   /* owned: not followed: where it stopped, and why */
};

/* Runs argv and follows the witness; behind its end the run goes on as under fifo. */
int run_witness(struct run_guided *out, const struct witness_file *w, char *const *argv,
                const char *directory, const struct run_opts *opts, struct err *err);
/* The same in parts, for runs of a pool: the file for opts.guide, and what became of it; the
 * result is in out already. */
int run_guide(const struct witness_file *w, const char *path, struct err *err);
void run_guided_read(struct run_guided *out, const struct witness_file *w,
                     const char *directory);
void run_guided_done(struct run_guided *g);

/* What is known about where threads can still come to. */
struct run_greedy {
    const struct witness_site *from; /* borrowed: places where a thread may stand */
    uint32_t count;                  /* 0: nothing is known */
    bool (*reaches)(void *arg, const struct witness_site *from, const struct witness_site *to);
    void *arg;
    /* Mutexes that are locked there are recorded, and not locked (TRACE_UNENFORCED). */
    const struct witness_site *free; /* borrowed */
    uint32_t free_count;
};

/* The same, as far as it goes: a line is dropped once its thread has ended, waits for ever or
 * cannot reach it any more, and the run goes on with the next one. greedy NULL: as above. */
int run_greedily(struct run_guided *out, const struct witness_file *w,
                 const struct run_greedy *greedy, char *const *argv, const char *directory,
                 const struct run_opts *opts, struct err *err);

#endif
