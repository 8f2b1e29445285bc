/* SPDX-License-Identifier: Apache-2.0
 *
 * source: the user's source text. A unit is parsed once, with the flags it was compiled with,
 * into a flat tree of nodes that know their bytes in the file; edits are made of those bytes
 * and never by printing code again, so that what is not changed stays as it was.
 *
 * libclang is loaded when the first unit is parsed: linking it would cost every start of the
 * tool 3 ms. */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

/* ---- patches ---------------------------------------------------------------------------- */

/* Edits at the same offset stand in the order of their ranks, then in the order in which they
 * were made. */
enum edit_rank { EDIT_CLOSE, EDIT_OPEN };

struct edit {
    const char *file; /* as the caller named it; lives in the patch's arena */
    uint32_t offset, length;
    const char *text; /* instead of those bytes */
    uint8_t rank;
};

struct patch {
    struct arena mem;
    VEC(struct edit) edits;
    VEC(const char *) notes; /* what a person should know about it */
};

void patch_add(struct patch *p, const char *file, uint32_t offset, uint32_t length,
               const char *text, enum edit_rank rank);
void patch_note(struct patch *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The file's text with the edits made; -1: two of them overlap. */
int patch_apply(const struct patch *p, const char *file, struct text old, struct str *out,
                struct err *err);
/* The edits of one file, in the order of their places; borrowed from the patch. */
typedef VEC(const struct edit *) patch_edits;
void patch_edits_of(const struct patch *p, const char *file, patch_edits *out);
/* The files it changes, each once, in the order of their names. */
typedef VEC(const char *) patch_files;
void patch_list(const struct patch *p, patch_files *out);
void patch_done(struct patch *p);

static inline void auto_patch(struct patch *p)
{
    patch_done(p);
}

/* Unified, with three lines of context; nothing if they are the same. Names as patch -p1
 * wants them: "a/NAME" and "b/NAME". */
void diff_print(struct str *out, const char *name, struct text old, struct text new);
/* The directory that the names of a diff are from: the deepest that holds the current one and
 * all files, whose paths are absolute. "": they have nothing in common. */
void diff_root(struct str *out, const patch_files *files);

/* Adds edits that make the new text of the old one, line by line. */
void diff_edits(struct patch *out, const char *path, struct text old, struct text new);

/* ---- units ------------------------------------------------------------------------------ */

typedef uint32_t node_id;

enum node_kind {
    NODE_OTHER, /* an expression or declaration without a part of its own */
    NODE_UNIT,
    NODE_FUNCTION, /* with a body */
    NODE_PROTOTYPE,
    NODE_RECORD,
    NODE_FIELD,
    NODE_VARIABLE,
    NODE_PARAMETER,
    NODE_COMPOUND,
    NODE_IF,
    NODE_WHILE,
    NODE_DO,
    NODE_FOR,
    NODE_SWITCH,
    NODE_CASE, /* and default */
    NODE_LABEL,
    NODE_GOTO,
    NODE_LEAP, /* goto to a computed label */
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_RETURN,
    NODE_NULL, /* ; */
    NODE_DECLARATION,
    NODE_CALL,
    NODE_NAME,   /* use of a variable, function or label */
    NODE_MEMBER, /* a.b, a->b */
    NODE_INDEX,  /* a[b] */
    NODE_DEREF,  /* *a */
    NODE_BINARY,
    NODE_ASSIGN,      /* of any sort */
    NODE_STEP,        /* ++, -- */
    NODE_TAKE,        /* & */
    NODE_BLOCK_VALUE, /* ({ ... }) */
    NODE_TRY,
    NODE_THROW,
    NODE_LAMBDA,
};

/* What a variable, field, parameter, function's result or assignment is of its record. */
enum node_shape { SHAPE_NONE, SHAPE_VALUE, SHAPE_ARRAY, SHAPE_POINTER, SHAPE_REFERENCE };

struct node {
    uint8_t kind;
    uint8_t shape;  /* enum node_shape; NONE: no record of the tree */
    bool is_macro;  /* written in the body of a macro: its bytes are those of the macro's use */
    bool is_static; /* variable, function: internal; field: none */
    bool is_global; /* variable: lives as long as the program; its scope is the file */
    bool is_arrow;  /* member: of what a pointer points to */
    bool is_library;     /* name, member: of something that a system header declares */
    uint32_t file;       /* index into the unit's files */
    uint32_t start, end; /* bytes, without a ';' behind it */
    node_id parent, first, next;
    node_id last;     /* child */
    node_id declared; /* name, member: what it stands for; method: its class; or NONE */
    node_id record;   /* by its shape: which; or NONE */
    const char *name; /* "" if it has none */
    const char *type; /* variable, field, parameter; function: what it returns; or "" */
};

struct source_file {
    const char *path; /* as libclang calls it, made absolute */
    struct text text;
    struct bytes *bytes; /* owned */
};

/* What is put around a statement, in the order in which it stands: sections that begin with
 * it, the value of a return, locks that are given back because it leaves them; behind it,
 * sections that end with it. */
enum insert_part { INSERT_OPEN, INSERT_VALUE, INSERT_LEAVE, INSERT_CLOSE };

struct insert {
    node_id at;
    uint8_t part; /* enum insert_part */
    const char *text;
};

enum lock_sort { LOCK_PTHREAD, LOCK_RW, LOCK_SPIN, LOCK_C11, LOCK_CXX, LOCK_SORTS };

enum wrapper_does { WRAPPER_LOCKS, WRAPPER_UNLOCKS, WRAPPER_WAITS };

/* A function of the program that takes a lock, gives it back or waits for a condition, and does
 * nothing else. */
struct lock_wrapper {
    enum wrapper_does does;
    const char *name;
    const char *expression; /* the lock, as the function calls it */
    const char *rest;       /* of the expression, behind its first name */
    enum lock_sort sort;
    bool is_shared;   /* for reading */
    bool of_argument; /* the first name is its parameter's; else a global one's */
    bool is_static;
};

/* A class of the program whose objects hold a lock of another class. */
struct own_guard {
    const char *name, *of;
};

struct unit {
    struct arena mem;
    bool is_cxx;
    uint32_t warnings;             /* that clang has about it, with -Wall -Wextra */
    VEC(struct source_file) files; /* 0 is the one that was compiled */
    VEC(struct node) nodes;        /* 0 is the unit; those of system headers are left out */
    VEC(struct insert) inserts;    /* wanted so far; unit_flush makes edits of them */
    VEC(struct lock_wrapper) wrappers;
    VEC(struct own_guard) guards;
};

/* Text that stands for a file's. */
struct source_change {
    const char *path;
    struct text text;
};

struct unit_opts {
    const char *source, *directory;
    char *const *args; /* the compiler's command line with its name; NULL ends */
    const struct source_change *changes; /* what is not written yet */
    uint32_t change_count;
};

/* -1: libclang is not there, or the source has errors. */
int unit_open(struct unit *out, const struct unit_opts *opts, struct err *err);
void unit_close(struct unit *u);

static inline void auto_unit(struct unit *u)
{
    unit_close(u);
}

/* ---- questions -------------------------------------------------------------------------- */

static inline const struct node *node_of(const struct unit *u, node_id n)
{
    CHECK(n < u->nodes.len);
    return &u->nodes.at[n];
}

uint32_t unit_file(const struct unit *u, const char *path); /* NONE: not one of its files */
uint32_t file_line(const struct source_file *f, uint32_t offset);
struct text node_text(const struct unit *u, node_id n);
/* Writes an expression that a macro stands for, whose text is nowhere in the file; false: it is
 * not one of names and members. */
bool node_spell(const struct unit *u, node_id n, struct str *out);
/* The smallest node that covers the byte; NONE: it is in no declaration. */
node_id node_at(const struct unit *u, uint32_t file, uint32_t offset);
/* The same by line and column (0: where the line's code begins) of a file, whose name is from
 * the directory unless it is absolute; NONE also if it is none of the unit's. */
node_id node_at_line(const struct unit *u, const char *directory, const char *path,
                     uint32_t line, uint32_t column);
node_id node_function(const struct unit *u, node_id n);          /* that it is in, or NONE */
bool node_is_in(const struct unit *u, node_id n, node_id outer); /* or is it */
/* The next node in the order of the text that is in root; NONE at the end. Begin with root. */
node_id node_walk(const struct unit *u, node_id root, node_id n);
/* The smallest statement that can stand for itself around the node: one that is in a block or
 * is the body of something, and is not the value of ({ ... }). */
node_id node_statement(const struct unit *u, node_id n);
/* The one before it in its block, or NONE. */
node_id statement_before(const struct unit *u, node_id statement);
/* The one around it; NONE: it is a function's body. */
node_id statement_above(const struct unit *u, node_id statement);
/* What is done, under labels and cases. */
node_id statement_core(const struct unit *u, node_id statement);
uint32_t statement_end(const struct unit *u, node_id statement); /* behind its ';' */
bool is_body(const struct unit *u, node_id n); /* of if, while, a case, ...: no block around */
/* Does it write what it names: assigned, counted, its address taken? */
bool node_is_written(const struct unit *u, node_id n);
/* A word that stands nowhere in the unit's own files, like the one wanted. */
const char *unit_fresh(struct unit *u, const char *wanted);

/* The lock that a variable or field is declared to be guarded by, as it is written there; len
 * 0: it says nothing. */
struct text declared_guard(const struct unit *u, node_id declaration);
bool mentions_guards(struct text text); /* is it worth parsing for that? */

/* ---- sections --------------------------------------------------------------------------- *
 * Statements that follow each other in one block: first and last are children of it, or the
 * same statement if its parent is no block. */

struct range {
    node_id first, last;
};

/* Around both nodes, which must be in one function. */
int range_of(const struct unit *u, node_id a, node_id b, struct range *out, struct err *err);
int range_join(const struct unit *u, struct range a, struct range b, struct range *out,
               struct err *err);
bool range_meets(const struct unit *u, struct range a, struct range b);
bool range_follows(const struct unit *u, struct range a, struct range b); /* b right behind a */
bool range_has(const struct unit *u, struct range r, node_id n);

struct lock_use {
    enum lock_sort sort;
    const char *expression; /* "lock", "a->lock": the lock itself, not its address */
};

/* Grows the range until it can be a section: no jump goes into it, and a section of the same
 * lock that it begins or ends in is in it as a whole. */
int section_fit(const struct unit *u, const struct lock_use *lock, struct range *r,
                struct err *err);
/* Makes it a section; sections of the same lock inside it are dissolved. */
int section_make(struct unit *u, struct range r, const struct lock_use *lock, struct patch *out,
                 struct err *err);
/* The same, but in the last statement, an `if`, each way gives the lock back behind the last of
 * `ends` that is on it: what follows may wait for others. */
int section_make_ends(struct unit *u, struct range r, const node_id *ends, uint32_t count,
                      const struct lock_use *lock, struct patch *out, struct err *err);
/* Is the node in the part of such a section that has the lock? */
bool section_ends_have(const struct unit *u, struct range r, const node_id *ends,
                       uint32_t count, node_id n);
/* Gives the lock back before a return, what that computes comes first. */
int section_leave(struct unit *u, node_id n, const struct lock_use *lock, struct patch *out,
                  struct err *err);
/* Takes away what takes and gives back the lock in there. */
int section_dissolve(struct unit *u, struct range r, const char *expression, struct patch *out,
                     struct err *err);
/* Is this a call that takes (gives back) the lock? */
bool call_is_lock(const struct unit *u, node_id call, const char *expression);
bool call_is_unlock(const struct unit *u, node_id call, const char *expression);
/* Is it the type of a mutex? */
bool is_mutex_type(const char *type, enum lock_sort *sort);
/* Or of a lock that the program has written itself, and has guards for? */
bool is_lock_type(const struct unit *u, const char *type, enum lock_sort *sort);
/* A statement that takes or gives back the lock: 1, -1; else 0. */
int lock_step(const struct unit *u, node_id statement, const char *expression);
/* The statement that takes (gives back) it, as the function of the place writes it. */
const char *lock_call(struct unit *u, node_id place, const struct lock_use *lock, bool is_lock);
/* What takes the lock before the statement and gives it back, for code that is put between:
 * in C++ an object that holds it. */
int section_words(struct unit *u, node_id place, const struct lock_use *lock, const char **take,
                  const char **give, struct err *err);
/* The lock that a declared std::lock_guard or the like holds; NULL: none, or several. */
const char *guard_lock(struct unit *u, node_id statement);
/* The lock of a call that takes (gives back) one; NULL: it is none. */
const char *call_lock(struct unit *u, node_id call, enum lock_sort *sort);
const char *call_unlock(struct unit *u, node_id call, enum lock_sort *sort);
/* The lock that pthread_cond_wait gives back, in a macro or not; NULL: it is not understood. */
const char *call_wait_lock(struct unit *u, node_id call);
/* Does it wait for a condition, which need not hold when it is over? */
bool call_is_wait(const struct unit *u, node_id call);
/* What an expression that begins with a parameter, "p->lock" or "*p", is for who passes this
 * argument; false: it cannot be written so. */
bool argument_put(struct text argument, const char *expression, struct str *out);
/* What another unit defines and both may call. */
void wrappers_share(struct unit *to, const struct unit *from);
/* Can this lock, a global one, be taken here by a function that is for it? */
bool wrapper_knows(const struct unit *u, const char *lock);

/* ---- atomic operations ------------------------------------------------------------------ */

enum atomic_does { ATOMIC_LOAD, ATOMIC_STORE, ATOMIC_ADD, ATOMIC_SUB };
enum { ATOMIC_ARGUMENTS = 3 };

struct atomic_use {
    enum atomic_does does;
    bool is_method;                          /* tokens_.load() */
    struct text object;                      /* "&m->peak", "tokens_." */
    struct text arguments[ATOMIC_ARGUMENTS]; /* the value, orders */
    uint32_t argument_count;
    uint32_t start, end; /* in the text */
};

/* The next atomic operation of the text; false: no more. */
bool atomic_use_next(struct text t, uint32_t from, struct atomic_use *out);
bool atomic_use_whole(struct text t, struct atomic_use *out); /* the text is one of these */

/* ---- records ---------------------------------------------------------------------------- */

/* Of a.b, a->b: the record that has b; NONE: it is none that could be changed. */
node_id record_of_access(const struct unit *u, node_id access);
node_id record_field(const struct unit *u, node_id record, const char *name); /* or NONE */
/* The only field that is a record with a field of this name itself, or NONE. */
node_id record_part_with(const struct unit *u, node_id record, const char *name);
node_id record_lock(const struct unit *u, node_id record); /* its only mutex, or NONE */
/* The same record in another unit; NONE: that does not know it. */
node_id record_like(const struct unit *u, const struct unit *other, node_id record);
/* Its last member, on a line of its own. */
void member_declare(const struct unit *u, node_id record, const char *text, struct patch *out);
/* Makes a new lock of the record ready wherever this unit makes such an object, and destroys
 * it where that ends; files in `done` were dealt with already, and this one's join them. In C++
 * constructors do. -1: some object would have a lock that is not ready. */
int member_prepare(struct unit *u, node_id record, const char *name, patch_files *done,
                   struct patch *out, struct err *err);

/* ---- other edits ------------------------------------------------------------------------ */

/* A statement before or behind another one, on a line of its own, in braces where there are
 * none. Whose section is made first is the outer one. */
void unit_insert(struct unit *u, node_id statement, enum insert_part part, const char *text);
bool is_inserted(const struct unit *u, node_id statement, enum insert_part part);
/* Turns what was inserted into edits; call it once, last. */
void unit_flush(struct unit *u, struct patch *out);
/* With its line, if nothing else is on it. */
void remove_statement(const struct unit *u, node_id statement, struct patch *out);
void replace_node(const struct unit *u, node_id n, const char *text, struct patch *out);
/* With its ';'. */
void replace_statement(const struct unit *u, node_id statement, const char *text,
                       struct patch *out);
/* Code of several lines as it is written beside the statement: each '\n' ends a line as lines
 * end here and indents the next one as the statement is, each '\t' is one step deeper. Lives
 * with the unit. */
const char *code_lines(struct unit *u, node_id statement, const char *text);
/* A line behind a declaration. */
void declare_behind(const struct unit *u, node_id declaration, const char *text,
                    struct patch *out);
/* A line behind the includes. */
void declare_first(const struct unit *u, uint32_t file, const char *text, struct patch *out);
/* "#include <pthread.h>" unless the file has it. */
void include_header(const struct unit *u, uint32_t file, const char *header, struct patch *out);

/* The patched files of the unit still parse, without new warnings. */
int patch_check(const struct patch *p, const struct unit *u, const struct unit_opts *opts,
                struct err *err);

/* ---- what a line calls things ----------------------------------------------------------- */

/* The file that was looked into last; starts as {0}. */
struct source_lines {
    struct str file;
    struct bytes bytes; /* none: it could not be read */
};

void source_lines_done(struct source_lines *s);

static inline void auto_source_lines(struct source_lines *s)
{
    source_lines_done(s);
}

/* Where the compiler says that something is, and what it calls it: a variable, a field, "*p"
 * for what p points to, or the function called. */
struct source_spot {
    struct text file, name;
    uint32_t line, column;
};

/* Appends the expression of what is read or written there, "p->count" of count. is_part: it is
 * a part of the variable of this name. False: the line does not say. */
bool source_operand(struct source_lines *s, struct str *out, const struct source_spot *spot,
                    bool is_part);
/* Appends what a call is about: the which-th argument without its &, what a guard object is
 * made of, or the object of a method. */
bool source_argument(struct source_lines *s, struct str *out, const struct source_spot *spot,
                     uint32_t which);

#include "source/line-map.h"

#endif
