/* SPDX-License-Identifier: Apache-2.0
 *
 * check-run: one recorded run on its way through the stages of `heddle check`. */
#ifndef CHECK_CHECK_RUN_H
#define CHECK_CHECK_RUN_H

#include "check/check.h"
#include "confirm/confirm.h"
#include "check/declared.h"

struct subject {
    char *const *argv;               /* borrowed */
    struct run_opts run;             /* how it was recorded */
    struct str path;                 /* owned: directory of the recorded run */
    const char *home;                /* borrowed: PROGRAM.heddle */
    const char *work;                /* borrowed: where the program works; NULL: here */
    struct run_result recorded;      /* owned */
    const struct declared *declared; /* borrowed: what the source says about locks */
    uint64_t memory_mb;              /* that prediction may use; 0: by the machine */
    bool is_child;                   /* another program started it */
    const char *family;          /* borrowed: the run that it is a forked child of, or NULL */
    uint64_t events;             /* that were predicted from */
    const struct subject *first; /* borrowed: the usual run, of which this one is another
                                      * schedule; NULL: it is the usual one itself */
    uint32_t further;            /* the how many-th of those */
    enum confirm_output *output; /* borrowed: do runs without a violation print the same? */
    uint32_t *unseen;            /* borrowed: runs that spun on what is not modelled */
    bool is_guessed;             /* predict without regard to values: what a run then
                                      * shows counts, and nothing else */
    bool is_deaf;                /* predict as if what came from other processes came after
                                      * nothing that they were told: the same holds */
    bool hears_outside;          /* something came from there */
    bool has_one_order;          /* one thread, and no signals: there is no other schedule */
    bool has_share, is_cut;      /* less time than its limit says; and that was over first */
};

/* So many of those, and no more are made: they would all be in vain. */
enum { UNSEEN_MAX = 2 };

void subject_done(struct subject *s);

/* Predicts; the findings have witnesses in files. `known` is what other runs gave. */
int subject_predict(struct subject *s, struct finding_list *out,
                    const struct finding_list *known, struct err *err);
/* The same with what an earlier check has found: its witnesses are those of its file. */
int subject_know(struct subject *s, struct finding_list *out, const char *known,
                 struct err *err);
/* Adds what needs values. */
int subject_reason(struct subject *s, struct finding_list *out,
                   const struct finding_list *known, const struct check_opts *opts,
                   struct err *err);
/* Follows the witnesses of those that are not among `known`, confirmed. */
int subject_confirm(struct subject *s, struct finding_list *l, const struct finding_list *known,
                    bool in_place, struct err *err);
/* The standard input of its other runs; NULL: ours. out has room for PATH_MAX bytes. */
const char *subject_stdin(const struct subject *s, char *out);
/* What came to it through connections from outside; NULL: nothing. out: as above. */
const char *subject_peers(const struct subject *s, char *out);
/* What the recorded run itself came to, if that was bad. */
void subject_tell_failure(const struct subject *s, struct finding_list *out);
/* "in the child process made at a.c:12 (main)": its threads are not the parent's. Of the
 * findings from this one on. */
void subject_tell_process(struct finding_list *l, uint32_t first, const struct run_recorded *r);
/* Other schedules (check-more.c): what their traces let predict, and failures that nothing in
 * the lists accounts for. */
int subject_explore(const struct subject *s, struct finding_list *out,
                    const struct finding_list *known, const struct check_opts *opts,
                    struct err *err);

#endif
