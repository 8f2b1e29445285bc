/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe: what a way of mending works with. A recipe looks at a cause and makes the edits that
 * take it away; whether they do is not its business but the proof's. */
#ifndef FIX_RECIPE_H
#define FIX_RECIPE_H

#include "build/build.h"
#include "fix/fix.h"
#include "verify/verify.h"

/* ---- the codebase: the program's sources ------------------------------------------------ */

struct codebase_unit {
    struct unit u;
    struct unit_opts opts;
    const char *path;     /* of its source, from the root */
    bool is_open, is_bad; /* bad: it cannot be parsed */
};

typedef VEC(struct code_site) site_list;

struct node_ref {
    uint32_t unit;
    node_id node; /* NONE: not found */
};
typedef VEC(struct node_ref) node_refs;

struct codebase {
    struct arena mem;
    struct build_units kept;
    VEC(struct codebase_unit) units;
    const struct causes *causes; /* borrowed */
    const struct guards *guards;
    bool with_unrun;     /* accesses that no run made are guarded as well */
    site_list seen, met; /* sites with accesses; those where another thread was about */
    site_list touched;   /* sites with accesses of anything */
    node_refs made;      /* the statements of those, when they have been asked for */
};

/* texts: of files that are other than on the disk; may be NULL. */
int codebase_open(struct codebase *out, const char *program, const fix_texts *texts,
                  struct err *err);
void codebase_close(struct codebase *code);
struct unit *codebase_unit(struct codebase *code,
                           uint32_t unit); /* NULL: it cannot be parsed */
struct node_ref codebase_find(struct codebase *code, const struct code_site *site);
/* Steps in a library's code, of the causes from this one on, go to the program's own place. */
void causes_resite(struct codebase *code, struct causes *all, uint32_t first);
/* The name or member in the spot's statement that is called so and is nearest to it. */
node_id codebase_access(struct codebase *code, struct node_ref s, const char *name);
/* The definition of a function, from this unit if it has one. */
struct node_ref codebase_function(struct codebase *code, uint32_t unit, const char *name);
const char *keep_text(struct codebase *code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reads a run: which of the variables' sites are accessed by a thread that is alone with it. */
int codebase_mark_alone(struct codebase *code, const char *run, struct err *err);
/* Statements in which some run accessed something. */
const node_refs *codebase_made(struct codebase *code);
bool codebase_is_alone(const struct codebase *code, const struct code_site *site);
/* Was it run, and only by a thread that was alone with what it accesses? */
bool statement_is_alone(struct codebase *code, struct node_ref s);
const struct guard *codebase_guard(const struct codebase *code, const char *variable);

/* ---- locks ------------------------------------------------------------------------------ */

/* A lock that could guard, not yet spelled for any place. */
struct lock_choice {
    const struct guard *guard; /* whose lock; NULL: a new one */
    enum lock_sort sort;
    const char *name;       /* of a new one, or of a global one */
    const char *variable;   /* that a new one is for */
    const char *text;       /* an existing one, spelled so everywhere; or NULL */
    struct node_ref record; /* one that each object of this record has; node 0: one for all */
    const struct lock_choice *before; /* a gate: what is taken behind it; or NULL */
    bool is_there; /* the record has it already, though it was not seen to guard */
};

/* Those of the cause's variables first, then a new one. */
typedef VEC(struct lock_choice) lock_choices;
void locks_list(struct codebase *code, const struct cause *c, lock_choices *out);
/* As it is to be written in this unit, for this access; NULL: it cannot be written there. */
const char *lock_spell(struct codebase *code, const struct lock_choice *l, uint32_t unit,
                       node_id access, struct err *err);
/* What new names for the variable begin with. */
const char *name_stem(struct codebase *code, const char *variable);
/* Declares a new one, where the variable lives, and in every unit that uses it. */
int lock_declare(struct codebase *code, const struct lock_choice *l, const bool *used,
                 struct patch *out, struct err *err);

/* ---- calls ------------------------------------------------------------------------------ */

/* Is this its name in the source? Runs tell of "Queue::push" and "(anonymous)::work<int>". */
bool is_function(const char *told, const char *name);
/* The function that is called; node NONE: its source is not here. */
struct node_ref call_target(struct codebase *code, struct node_ref call);
void calls_list(struct codebase *code, struct node_ref function, node_refs *out);
/* The call by which it came there, if that is known; else the only one; node NONE. */
struct node_ref caller_of(struct codebase *code, struct node_ref function,
                          const struct code_stack *s);
/* Asks about the place of each step, then about the calls that lead there, the innermost first,
 * until the answer is true. */
typedef bool (*place_fn)(struct codebase *code, struct node_ref s, uint32_t cause,
                         struct fix_repair *out);
void places_walk(struct codebase *code, uint32_t cause, struct fix_repair *out, place_fn at);
/* Is it the start of a thread, or called through a pointer? */
bool is_address_taken(struct codebase *code, struct node_ref function);
/* What an expression of the function is at the call; NULL: it cannot be named there. */
const char *expression_at_call(struct codebase *code, struct node_ref call,
                               struct node_ref function, const char *expression);
/* What a function that does nothing but read under the lock gives, as it is written at the
 * call; NULL: it does more. The lock is spelled as in the function. */
const char *value_at_call(struct codebase *code, struct node_ref call, const char *lock);
/* The first call of what the program does not know until it runs; NONE. */
node_id find_callback(const struct unit *u, node_id root);
/* Has everybody who gets there the lock, by the source? */
bool is_held(struct codebase *code, struct node_ref s, const char *lock);

/* ---- users: who is counted, and who has an object ---------------------------------------- */

/* 1: the function counts a member of its argument up, -1: down, itself or by a function that it
 * gives that to; 0: neither. */
int counts_users(struct codebase *code, struct node_ref function, const char *record,
                 int depth);
/* A function of the program that counts so, and is known in the unit; NULL. */
const char *users_counter(struct codebase *code, uint32_t unit, const char *record, int way);
bool names_variable(const struct unit *u, node_id in, node_id variable);
/* `if (v == NULL) leave;`: behind it the variable is not null, and who left had nothing. Or
 * `if (v == NULL || ...) leave;`, if who left may have had it. */
bool is_null_test(const struct unit *u, node_id statement, node_id variable, bool may_have);
/* Is it known at the statement that the variable is not null? */
bool is_known_there(const struct unit *u, node_id statement, node_id variable);
/* The local variable that gets what the call returns; NONE. */
node_id variable_of_call(const struct unit *u, node_id call);

/* ---- creators: pthread_create and pthread_join ------------------------------------------- */

bool is_release(const struct unit *u, node_id n); /* free, pthread_mutex_destroy, fclose, ... */
bool is_call_of(const struct unit *u, node_id n, const char *name);
bool is_create(const struct unit *u, node_id n); /* pthread_create, std::thread t(f), ... */
/* The next creation of a thread that runs this function, behind a node; NONE: no more. */
node_id find_create(const struct unit *u, const char *function, node_id from);
/* The variable that the thread of a creation, or of a join, is kept in; len 0: it has none. */
struct text thread_variable(const struct unit *u, node_id call);
/* The one call that joins threads kept in this variable; NONE if there are more or none. */
node_id find_join(const struct unit *u, struct text name);
/* The loop that does nothing but join, or the call itself. */
node_id join_statement(const struct unit *u, node_id join);
node_id loop_around(const struct unit *u, node_id n); /* or NONE */
/* Does the place's function create threads, and has joined all of them by then? */
bool is_behind_joins(const struct unit *u, node_id place);
/* May what is in `moved` change places with what is in `passed`? Local variables decide: that
 * shared ones may is what the proof is for. */
bool may_change_places(const struct unit *u, struct range moved, struct range passed);
/* They go before or behind the target. */
void statements_move(struct unit *u, struct range r, node_id target, enum insert_part part,
                     struct patch *out);
/* The statement goes: so do variables that only it used. */
void drop_unused(const struct unit *u, node_id statement, struct patch *out);

/* ---- plans: which statements become sections -------------------------------------------- */

enum { SECTION_CALLS = 3, SECTION_ENDS = 8 };

struct section_range {
    uint32_t unit;
    struct range r;
    node_id access; /* that says which object's lock is meant */
    uint32_t access_unit;
    struct node_ref calls[SECTION_CALLS]; /* that lead to the access, the outermost first */
    uint32_t call_count;
    const char *lock; /* as it is written here; NULL: not known yet */
    bool is_loop;     /* the access is in the head of a loop: the body stays outside */
    /* The last statement, an `if`, gives the lock back behind these; none: behind itself. */
    node_id ends[SECTION_ENDS];
    uint32_t end_count;
};

/* A section that the source has, and that goes: its callers take the lock. */
struct dissolve {
    struct node_ref function;
    const char *lock;
};

/* A function that others may call takes the lock as before; who has it calls the other one. */
struct division {
    struct node_ref function;
    const char *lock, *name; /* NAME_locked */
};

/* A call, inside a section, of what only reads under the section's lock. */
struct inlined {
    struct node_ref call;
    const char *value; /* stands instead of it */
};

struct sections {
    struct codebase *code;
    VEC(struct section_range) ranges;
    VEC(struct dissolve) dissolved;
    VEC(struct division) divided;
    VEC(struct inlined) inlined;
    bool is_gate;     /* the lock is taken before another that all have */
    bool only_writes; /* reads need not be in a section */
    const struct lock_choice
        *nameable;  /* recipe whole: only places where this one has a name; or NULL */
    bool is_heavy;  /* made: the lock is held where others are waited for, or a callback runs */
    bool is_driver; /* made: who starts the threads holds it around calls of what works */
};

struct node_ref range_function(const struct sections *p, const struct section_range *r);
/* Has the node the lock in this section? */
bool range_locks(const struct sections *p, const struct section_range *r, uint32_t unit,
                 node_id n);
bool sections_join(struct sections *p); /* once; false: nothing meets any more */
/* Makes NAME_locked of a function that takes the lock before all else, and calls it from there;
 * returns its name. NULL: it cannot be divided. */
const char *function_divide(struct codebase *code, struct node_ref function, const char *lock,
                            struct patch *out);
/* Who is called with the lock held does not take it. */
int sections_lift(struct sections *p, struct err *err);

/* Joins what meets. */
void sections_add(struct sections *p, struct section_range one);
/* One section around both accesses. In different functions: in the nearest one that calls
 * both. */
int sections_cover(struct sections *p, const struct cause_step *a, const struct cause_step *b,
                   struct err *err);
/* The same of the functions that the two accesses are in, wherever they are called so. */
void sections_alike(struct sections *p, const struct cause_step *a, const struct cause_step *b);
/* Has whoever gets there the lock, an existing one, by the source? */
bool is_site_held(struct codebase *code, const struct code_site *site,
                  const struct lock_choice *l);
/* Every access of the variable that is not guarded by the lock already. */
int sections_propagate(struct sections *p, const char *variable, const struct lock_choice *l,
                       struct err *err);
/* Accesses of the variable that no run made, if those are to be guarded, too. */
int sections_unrun(struct sections *p, const char *variable, const struct lock_choice *l,
                   struct err *err);
/* All accesses of the two variables, or the one, in a function become one section. */
int sections_whole(struct sections *p, const struct guard *g, const struct guard *h,
                   struct err *err);
/* Makes the edits. */
int sections_make(struct sections *p, const struct lock_choice *l, struct patch *out,
                  struct err *err);
void sections_done(struct sections *p);

/* Says which statements become sections of the lock, for the cause. */
typedef int (*cover_fn)(struct sections *, const struct cause *, const struct lock_choice *,
                        struct err *);

/* What a move that makes sections is, so that several of one lock can be made together. */
struct section_move {
    cover_fn cover;
    struct lock_choice lock, before;  /* before: what lock.before is, if it is */
    VEC(struct section_range) ranges; /* as it makes them alone */
};

/* Have both threads of the cause the lock for all they do, by these? */
bool section_excludes(struct codebase *code, const struct section_move *m,
                      const struct cause *c);
bool has_run(const struct codebase *code, const char *function);
/* Accesses of the variable in functions that no run called, one of each statement. */
void unrun_list(struct codebase *code, const char *variable, node_refs *out);
/* Says which of these the plan leaves without the lock. */
void unrun_note(const struct sections *p, const struct cause *c, const struct lock_choice *lock,
                struct patch *out);
/* sections_propagate for every variable of the cause. */
int sections_propagate_all(struct sections *p, const struct cause *c,
                           const struct lock_choice *lock, struct err *err);
/* All steps of each thread in one section. */
int cover_threads(struct sections *p, const struct cause *c, struct err *err);
/* Has every access of the variables one lock already? */
bool is_guarded(struct codebase *code, const struct cause *c);
/* A new lock for what all accesses have another one for? It cannot guard them better, only
 * hold together what is done in several sections. */
bool is_only_gate(struct codebase *code, const struct cause *c, const struct lock_choice *lock);
/* A candidate for each lock that may serve: `cover` says what becomes a section. */
void sections_try(struct codebase *code, uint32_t cause, const char *recipe, cover_fn cover,
                  const char *what, struct fix_repair *out);

void sections_try_lock(struct codebase *code, uint32_t cause, const char *recipe,
                       cover_fn cover, const struct lock_choice *lock, const char *what,
                       struct fix_repair *out);

/* ---- recipes ---------------------------------------------------------------------------- */

enum recipe_turn {
    TURN_USUAL,
    TURN_FIRST, /* it applies seldom, and then it is very likely right */
    TURN_LAST,  /* a last resort: when all others have failed */
};

struct recipe {
    const char *name, *help;
    /* Appends candidates; reasons why it does not apply go to the repair's refusals. */
    void (*make)(struct codebase *code, uint32_t cause, struct fix_repair *out);
    enum recipe_turn turn; /* with those of all causes */
};

#define RECIPE(name) extern const struct recipe recipe_##name;
#include "fix/recipe.def"
#undef RECIPE

/* "read of x at a.c:3 by one thread, then ..." */
void cause_describe(struct str *out, const struct cause *c);
/* A candidate to fill in; the edits go to its patch. */
struct fix_candidate *candidate_new(struct fix_repair *out, const char *recipe, uint32_t cause);
/* Says why, with which lock (NULL: none) and what is done. */
void candidate_explain(struct fix_candidate *c, struct codebase *code,
                       const struct lock_choice *l, const char *what);
/* What was judged has a program; what is proven has no run that breaks it. */
void candidate_check(const struct fix_candidate *c);
void candidate_free(struct fix_candidate *c);
void candidate_drop(struct fix_repair *out, struct codebase *code, const struct err *err);
/* Is the failure that nobody can go on? */
bool is_failure_stuck(const struct codebase *code, const struct cause *c);
/* Is what it mends seen in how locks are taken, not in accesses? */
bool candidate_shows_in_locks(const struct fix_candidate *c, const struct causes *causes);

/* ---- proof ------------------------------------------------------------------------------ */

typedef VEC(char *) argv_list;
/* The command line of the rebuilt program. */
void candidate_argv(argv_list *out, const struct fix_candidate *c,
                    const struct fix_repair_opts *opts);
/* A line of the candidate's proof. */
const char *candidate_say(struct fix_repair *r, struct fix_candidate *c, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));
/* 1: the finding is still predicted in runs of the rebuilt program, or, where no run failed
 * before (is_calm), these end otherwise. */
int finding_is_gone(struct fix_repair *r, struct fix_candidate *c,
                    const struct fix_repair_opts *opts, bool is_calm, struct err *err);
/* 1: locks are still taken in a circle, or one is not given back. */
int circles_are_gone(struct fix_repair *r, struct fix_candidate *c,
                     const struct fix_repair_opts *opts, struct err *err);
/* verify, and what it costs; 1: it is not fixed. */
int candidate_judge(struct fix_repair *r, struct fix_candidate *c,
                    const struct fix_repair_opts *opts, const char *failing, bool is_circle,
                    struct err *err);
/* The file's text before the patch. */
int text_before_patch(struct bytes *out, const fix_texts *texts, const char *path,
                      struct err *err);
int candidate_diff(struct fix_repair *r, struct fix_candidate *c, const fix_texts *texts,
                   struct err *err);
/* 1: it does not compile, or not without new warnings; else `program` is it. */
int candidate_build(struct fix_repair *r, struct fix_candidate *c, struct codebase *code,
                    const struct fix_repair_opts *opts, struct err *err);
int candidate_prove(struct fix_repair *r, struct fix_candidate *c, struct codebase *code,
                    const struct fix_repair_opts *opts, struct err *err);

#endif
