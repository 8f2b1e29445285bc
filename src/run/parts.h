/* SPDX-License-Identifier: Apache-2.0
 *
 * parts: what the files of this module share. A run goes from launch.c (a process) through
 * run.c (while it lives) to judge.c (what became of it). */
#ifndef RUN_PARTS_H
#define RUN_PARTS_H

#include "run/run.h"

#include <poll.h>
#include <sys/types.h>

/* ---- run.c ------------------------------------------------------------------------------ */

/* By a clock that nobody sets. */
int64_t run_now_ms(void);

/* How far a run is with its live client. */
enum client_stage {
    CLIENT_NONE,    /* it has none */
    CLIENT_AWAITED, /* the target does not listen yet */
    CLIENT_MISSED,  /* nor has it come to that in time: it was ended */
    CLIENT_TALKS,
    CLIENT_DONE,  /* the target may end by itself */
    CLIENT_ASKED, /* it was asked to end */
    CLIENT_KILLED /* it did not, and was killed */
};

struct client {
    enum client_stage stage;
    pid_t pid;          /* 0: not started, or gone */
    int pid_fd, from;   /* readable once it has ended; what it prints; -1: none */
    int watch;          /* becomes readable when the target has said something; -1: none */
    struct str printed; /* owned: as much as is kept */
    int64_t due_ms;     /* when to look at it again */
    int64_t used_ns;    /* processor time of the target when it was looked at last */
    uint32_t still;     /* looks since it used some */
    uint32_t looks;
    int status;   /* as from wait, once it is done */
    bool is_over; /* has a status */
};

/* A run while it lives. */
struct run_live {
    struct run_opts opts;
    struct str directory; /* of its files, from the root */
    pid_t pid;
    int pid_fd;             /* readable once it has ended */
    int to;                 /* its stdin, if it is fed by us; -1: it is not, or not any more */
    size_t given;           /* bytes of it */
    int from[2];            /* its stdout and stderr, -1 once closed */
    struct runfile_out log; /* what it printed, in order */
    struct str printed;     /* its stdout alone, for the oracle */
    uint64_t dropped_bytes; /* of the output, beyond what is kept */
    int64_t limit_ms;       /* when patience ends */
    uint32_t warnings;      /* how often it has ended */
    bool late;              /* the time limit struck */
    int signal;             /* we were told to stop, and passed it on */
    run_doubts doubts;      /* that this side has; judge.c writes them into its outcome */
    struct client client;
    bool ended;      /* but its client need not be done yet */
    int64_t left_ms; /* it has ended, and its children may go on until then; 0: they may not */
    bool gone;
    int status; /* once it has ended */
    bool has_terminal;
    bool is_large; /* it used more memory than it may */
};

int write_runfile(struct runfile_out *o, const char *directory, const char *name,
                  struct err *err);

/* ---- client.c --------------------------------------------------------------------------- */

enum { CLIENT_FDS = 3 };
/* The file by which the target of a run in this directory says that it listens. */
void client_told(struct str *out, const char *directory);
/* Before the target starts. */
int client_open(struct run_live *r, struct err *err);
void client_poll(const struct run_live *r, struct pollfd fds[CLIENT_FDS]);
/* Something has come, or it is time. True: nothing is left to wait for. */
bool client_look(struct run_live *r, const struct pollfd fds[CLIENT_FDS], int64_t now_ms);
/* The target has ended: is there still something to wait for? */
bool client_goes_on(struct run_live *r);
/* Ends it, with all that it has started. */
void client_end(struct run_live *r);
/* What follows for the run; 1: the outcome is another one now. */
int client_judge(struct run_result *out, const struct run_live *r, struct err *err);
void client_close(struct run_live *r);

/* ---- stdin.c ---------------------------------------------------------------------------- */

/* Its standard input; r->to is our end of it, if we are to feed it. */
int stdin_open(struct run_live *r, struct err *err);
short stdin_wants(const struct run_live *r); /* what to poll r->to for */
/* It has all there is, and there may be more. */
bool stdin_needs_more(const struct run_live *r);
void stdin_take(void); /* our own can be read */
void stdin_give(struct run_live *r);
void stdin_close(struct run_live *r);
int stdin_check(struct err *err); /* was everything kept? */

/* ---- terminal.c ------------------------------------------------------------------------- */
void terminal_lend(struct run_live *r);
/* Once the run is gone. The signal that was typed to end it, and so us; 0: none. */
int terminal_take_back(struct run_live *r);

/* ---- launch.c --------------------------------------------------------------------------- */

/* What a new process needs to know. */
struct launch {
    char *const *argv;
    const char *settings;
    const char *directory; /* where it works; NULL: here */
    int streams[3];
    bool aslr;
    int init, flags; /* the world that it is to be in, see world_enter; -1: ours */
};

/* The stack lies below the environment: the variable gets the same length every time. */
void pad_settings(struct str *text);
/* The new process: a child of ours, in a process group of its own. -1: it could not be. */
pid_t target_launch(const struct launch *l, struct run_server *server, struct err *err);

const char *server_build(struct run_server *s); /* NULL: not known */

/* ---- world.c ---------------------------------------------------------------------------- */

/* It is as if no run had been there, and the next one begins; files: its directory. */
int world_begin(struct run_world *w, const char *files, struct err *err);
/* Ends what the run has left running. */
void world_end(struct run_world *w);
/* Its first process, and which of its namespaces to enter; -1: a copy has none. */
int world_descriptor(const struct run_world *w, int *flags);
/* How it is not the one outside, for the runtime (rt/rt.h). */
unsigned world_apart(const struct run_world *w);
/* A run in it has ended so. */
void world_judged(const struct run_world *w, const struct run_result *r);
/* Runs before have left something that could not be put back. */
bool world_is_soiled(const struct run_world *w);
/* The directory of which it is a copy. */
const char *world_from(const struct run_world *w);
/* A directory of old contents that it begins with; NULL: it begins with what is there. */
const char *world_before(const struct run_world *w);
/* What of these cannot be put back in it. */
const run_doubts *world_doubts(const struct run_world *w);
/* In a child of ours: takes it there. Who enters a process namespace is not in it, but his
 * children are: what returns is a child of ours again, whose id (or -errno) is told. */
void world_enter(int init, int flags, int told);

/* ---- copy.c ----------------------------------------------------------------------------- */

struct run_copy;
int copy_open(struct run_copy **out, const char *from, struct err *err);
/* Puts back what was touched since it was opened or reset last. What has changed in the
 * original meanwhile is not looked for. */
int copy_reset(struct run_copy *c, struct err *err);
const char *copy_path(const struct run_copy *c);
void copy_close(struct run_copy *c); /* it is kept for the next who opens one like it */
void copies_drop(void);              /* removes all that were closed */

/* ---- judge-children.c -------------------------------------------------------------------- */

/* A run that ended well: did its forked children, too? */
void judge_children(struct run_result *r, const char *directory);

/* ---- mirror.c ---------------------------------------------------------------------------- */

enum { MIRROR_ENTRIES_MAX = 20000 };
#define MIRROR_BYTES_MAX ((uint64_t)1 << 29)
#define MIRROR_PREFIX "heddle-copy-" /* of the names of copies; they are never copied */

/* An entry as it was put there. */
struct mirror_note {
    uint64_t inode, bytes;
    int64_t written_ns, changed_ns;
    uint32_t mode;
};

/* Zero-initialised: nothing was put there yet. */
struct mirror {
    VEC(struct mirror_note) notes;
    struct map index; /* of notes, by directory and name */
    struct map inner; /* how many entries a directory has, by its inode */
    uint32_t entries; /* looked at in the last walk */
    uint64_t bytes;   /* copied in it */
};

/* Makes `to` as `from` is. Without look, only what was touched in `to` is put right. */
int mirror_settle(struct mirror *m, const char *from, const char *to, bool look,
                  struct err *err);
/* A new file with the same contents and times. */
int mirror_file(const char *from, const char *to);
void mirror_done(struct mirror *m);

/* ---- restore.c --------------------------------------------------------------------------- */

/* Puts back what there was; from: only in there, and in its copy `to`. NULL: everywhere. */
int before_restore(const char *before, const char *from, const char *to, struct err *err);
/* What of it cannot be put back. */
void before_doubts(const char *before, const char *from, run_doubts *out);
/* The run in there has changed its last file. */
void before_ended(const char *directory);

/* ---- waiting.c -------------------------------------------------------------------------- */

/* A TAG_WAIT or TAG_HOLDER of its outcome. */
void waiting_read(struct run_result *r, const struct log_entry *e);

/* ---- judge.c ---------------------------------------------------------------------------- */

/* What the runtime said, if it could say anything. */
bool read_outcome(struct run_result *r, const char *directory);
int run_judge(struct run_result *out, const struct run_live *r, struct err *err);

#endif
