/* SPDX-License-Identifier: Apache-2.0
 *
 * repair: from causes and guards to patches, each rebuilt and proven. Part of fix.h. */
#ifndef FIX_REPAIR_H
#define FIX_REPAIR_H

#include "source/source.h"
#include "verify/verify.h"

struct section_move; /* recipe.h */

enum fix_state {
    FIX_UNTRIED, /* the budget of rounds was spent before its turn */
    FIX_REFUSED, /* it does not compile, or not without new warnings */
    FIX_PARTIAL, /* some schedule still fails, or proof is missing */
    FIX_PROVEN,
};

/* A patch and what became of it. */
struct fix_candidate {
    const char *recipe;
    uint32_t cause;               /* index */
    VEC(uint32_t) also;           /* other causes that the same patch is for */
    struct section_move *section; /* a move that makes sections of a lock; or NULL */
    const char *why;
    const char *trade; /* what it costs, in a few words */
    struct patch patch;
    struct str diff;     /* owned */
    const char *root;    /* the directory that its names are from */
    uint32_t locks;      /* new ones */
    uint32_t lines;      /* added and removed */
    uint32_t round;      /* 0: not tried */
    bool is_last;        /* a last resort */
    bool is_vain;        /* a move: what it is for happens all the same */
    bool is_heavy;       /* a lock is held for as long as somebody else's code takes */
    bool shows_in_locks; /* what it mends shows in locks alone, not in accesses */
    bool is_worse;       /* partial: it fails in a way that the program did not */
    bool is_helping;     /* partial: it is another schedule that fails now; more may be wrong */
    enum fix_state state;
    bool has_bound; /* proven with at most `bound` preemptions only */
    uint32_t bound;
    VEC(const char *) log; /* the proof, line by line */
    const char *decided;   /* the line that broke it, or that it rests on; or "" */
    const char *breaks;    /* directory of a run that still fails, or "" */
    const char *ends_in;   /* the kind of its failure, if it is known; or "" */
    const char *program;   /* rebuilt, or "" */
    bool is_large;         /* more lines than are to be shown */
    bool is_surplus;       /* proven, and so is a part of it */
    bool is_serial;        /* proven: threads that worked at the same time do not any more */
    bool is_offered;       /* an alternative to the best one */
    struct verify_cost cost_before, cost_after; /* no events: not measured */
};

/* ---- why this plan -----------------------------------------------------------------------
 * Numbers are those of the lists here. */

struct fix_violation {
    const char *text;    /* "read of x at a.c:3 by one thread, then ..." */
    const char *known;   /* how well it is known that the failure comes from it */
    const char *failure; /* "exit 1"; of a finding: "" */
    uint32_t round;      /* whose patched program has shown it; 0: the program before */
};

struct fix_move {
    const char *recipe, *why;
    uint32_t locks;
    bool is_vain, is_last;
    VEC(uint32_t) excludes; /* violations */
};

struct fix_round {
    uint32_t round; /* 0: its moves make no patch together */
    VEC(uint32_t) moves;
    const char *state, *said; /* what broke it, or what it rests on */
};

struct fix_account {
    VEC(struct fix_violation) violations;
    VEC(struct fix_move) moves;
    VEC(struct fix_round) rounds;
    VEC(uint32_t) left; /* violations that nothing in the plan excludes */
};

struct fix_repair {
    struct arena mem;
    VEC(struct fix_candidate) candidates; /* in the order in which they are tried */
    VEC(const char *) refusals;           /* recipes that did not apply, and why */
    uint32_t best;                        /* proven, or the best partial one; NONE */
    uint32_t rounds;
    uint32_t long_looks;        /* at patches that nothing broke */
    struct fix_account account; /* if it was asked for */
};

/* A program that was patched before: what its files are, if not what is on the disk. */
typedef VEC(struct source_change) fix_texts;

struct fix_repair_opts {
    char *const *argv;
    const char *original;      /* program to build from; NULL: argv[0] */
    const fix_texts *texts;    /* NULL: none */
    uint32_t rounds_done;      /* by earlier steps */
    const char *finding;       /* its id, if it is about one; or NULL */
    const char *const *others; /* ids of findings that the same patch is to mend */
    uint32_t other_count;
    uint32_t apart;       /* harms that are those of other findings: a set */
    bool is_harmful;      /* a run in which it happened did harm: that must be gone */
    const char *failing;  /* such a run, if none failed by chance; or NULL */
    const char *home;     /* PROGRAM.heddle */
    const char *recorded; /* a run in there that a finding came from, or NULL */
    struct run_opts run;
    struct run_pool_opts pool;
    uint32_t rounds;       /* patches to try; 0: the default */
    uint32_t explore;      /* schedules that a patch has to survive; 0: the default */
    bool unrun;            /* guard accesses that no run made, too */
    bool all;              /* do not stop at the first proven one */
    uint32_t alternatives; /* proven ones besides the best */
    uint32_t lines_max;    /* a larger one is no answer as long as there may be another */
    bool explain;          /* fill the account */
    const char *build;     /* the user's command, or NULL */
    void (*progress)(const char *what, uint64_t done); /* may be NULL */
};

/* What a cause of the number-th other finding has for its failure. */
enum { FIX_OTHER_FINDING = 1 << 20 };

int fix_repair(struct fix_repair *out, const struct causes *causes, const struct guards *guards,
               const struct fix_repair_opts *opts, struct err *err);
void fix_repair_done(struct fix_repair *r);

/* Goes on behind a proven patch, or a helping one, until no run fails: each further failure
 * gets a patch of the program as it is by then, and the best candidate becomes all of them in
 * one. If one cannot be mended, it becomes partial and says what is left. */
int fix_go_on(struct fix_repair *r, const struct causes *causes, const struct seek_runs *seek,
              const struct fix_repair_opts *opts, struct err *err);
/* Looks at proven patches beside the best one as closely as at that; those that stand are
 * offered. */
int fix_look_at_others(struct fix_repair *r, const struct causes *causes,
                       const struct seek_runs *seek, const struct fix_repair_opts *opts,
                       struct err *err);
void fix_account_done(struct fix_account *a);
const char *fix_state_text(enum fix_state s); /* "proven" */

#endif
