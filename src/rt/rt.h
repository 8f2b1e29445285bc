/* SPDX-License-Identifier: Apache-2.0
 *
 * rt: the runtime inside the target. One token: exactly one thread runs, the others sleep on
 * a futex word of their own. Only the holder of the token touches `rt`, so nothing here is
 * locked; the few words that others may write are marked.
 *
 *            hook-*.c            what the target calls: one file per family of functions
 *               |  point, block, wake
 *            sched.c  <-->  policy-*.c     who runs next
 *               |
 *        record.c  outcome.c     what happened, how it ended
 *
 * `self` is null in a process that is not recorded, in its forked children, in threads that
 * somebody else made and behind the end: every hook then does what libc does, and no more. */
#ifndef RT_RT_H
#define RT_RT_H

#include "heddle/abi.h"
#include "heddle/format.h"
#include "rt/know.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Weak: a target that brings its own malloc, or anything else of ours, keeps it. */
#define EXPORT __attribute__((weak, visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* What cannot be, unless the runtime is wrong: the run ends as unsupported, since what it shows
 * may be our own doing. CHECK_ALL is for walks over everything, which a release leaves out. */
#define CHECK_LINE_(line) #line
#define CHECK_LINE(line) CHECK_LINE_(line)
#define CHECK(cond)                                                       \
    do {                                                                  \
        if (UNLIKELY(!(cond)))                                            \
            outcome_broken(__FILE__ ":" CHECK_LINE(__LINE__) ": " #cond); \
    } while (0)
#ifdef HEDDLE_CHECKS
#define CHECK_ALL(call) call
#else
#define CHECK_ALL(call) (void)0
#endif
void outcome_broken(const char *what) __attribute__((noreturn, cold));

typedef uint32_t thr_id;
#define NEVER UINT64_MAX
#define TIME_START_NS 1000000000000ULL /* of CLOCK_MONOTONIC: up for a while */

enum {
    THREADS_MAX = 65535,
    LIVE_MAX = 8192,    /* at a time: each is a real one, and takes 100 KB and more */
    MADE_MAX = 64,      /* names of shared memory that a run has made, ... */
    MADE_BYTES = 300,   /* ... each at most as long as this */
    LOWS_MAX = 1024,    /* of these it is also known where they end */
    FRAMES_MAX = 16384, /* remembered of a call stack; deeper ones are counted only */
    OBJECTS_MAX = 1 << 20,
    WATCH_MAX = 16, /* distinct places that a loop which only waits may look at */
    PATH_BYTES = 4096,
    DESCRIPTORS_MAX = 1 << 20,
    CHANNEL_FDS_MAX = 1024, /* beyond: known to carry word, not how much */
    CHANNELS_MAX = 4096,
    EPOLL_SETS_MAX = 64, /* bits of a word */
    INPUT_KEYS_MAX = 1 << 18,
    INPUT_PIECES_MAX = 1100, /* filled in by one outside call: a vector, and a few */
    MAPPED_MAX = 64,
    PEERS_MAX = 128, /* connections from outside that are recorded */
    LISTENERS_MAX = 255,
    DATAGRAMS_MAX = 64, /* sockets for datagrams, from outside too */
    DATAGRAM_BYTES = 1 << 16,
    EXCEPTIONS_MAX = 256, /* at a time */
    PEER_PARTS = 1000,    /* pieces of what came through one */
    SHOWN_MS = 1000,      /* for the kernel to show what was done outside */
    TIMERS_MAX = 256,
    WATCHES_MAX = 1 << 16,
    ATFORKS_MAX = 64,
    SHELLS_MAX = 64,
    PATIENCES_MAX = 64,
    FIFOS_MAX = 64,
    QUEUED_MAX = 1024,
    SIGNALFDS_MAX = 64,
    NEEDED_MAX = 4,
    NAMED_MAX = 256,
    THINGS_MAX = 1 << 16,
    FILE_LOCKS_MAX = 256,
    STRANGERS_MAX = 64,
    HIDDEN_MAX = 32,
    IN_VAIN_MAX = 8, /* waits for sync objects, after which others come first */
};

enum thr_state {
    THR_FREE,
    THR_READY,    /* in rt.ready */
    THR_RUNNING,  /* has the token */
    THR_BLOCKED,  /* for something modelled */
    THR_SPINNING, /* read the same things for long: not before somebody else has written */
    THR_OUTSIDE,  /* in a call that waits for the world */
    THR_EXITED,
};

/* WAITS words. Whatever of the world a thread waits for is WAIT_FD here. */
enum wait_how {
    WAIT_NONE = WORD_VALUE(WAITS, NOTHING),
    WAIT_MUTEX = WORD_VALUE(WAITS, MUTEX),
    WAIT_READ = WORD_VALUE(WAITS, READ),
    WAIT_WRITE = WORD_VALUE(WAITS, WRITE),
    WAIT_SPIN = WORD_VALUE(WAITS, SPIN),
    WAIT_COND = WORD_VALUE(WAITS, COND),
    WAIT_SEM = WORD_VALUE(WAITS, SEM),
    WAIT_BARRIER = WORD_VALUE(WAITS, BARRIER),
    WAIT_ONCE = WORD_VALUE(WAITS, ONCE),
    WAIT_FUTEX = WORD_VALUE(WAITS, FUTEX),
    WAIT_JOIN = WORD_VALUE(WAITS, JOIN),
    WAIT_SLEEP = WORD_VALUE(WAITS, SLEEP),
    WAIT_FD = WORD_VALUE(WAITS, DESCRIPTOR),
};

/* The others a thread leaves only if it is to be cancelled at once. */
static inline bool wait_is_cancellable(enum wait_how how)
{
    return how == WAIT_COND || how == WAIT_SEM || how == WAIT_JOIN || how == WAIT_SLEEP ||
           how == WAIT_FD;
}

enum wake_how { WAKE_NORMAL, WAKE_TIMEOUT, WAKE_CANCEL, WAKE_SIGNAL, WAKE_SPURIOUS };

struct obj;
struct play;
struct family;
struct seen;
struct guide;
struct guide_head;
struct points_head;

struct range {
    uint64_t low, high;
};

/* What a thread is about to do at a point, as far as it is known there. */
struct place {
    struct __heddle_site *site; /* may be null */
    uint64_t addr, len;         /* 0: unknown */
    uint8_t kind;               /* EV_READ, EV_WRITE, ...; 0: unknown */
    bool watch;                 /* a loop that waits would come back to it */
    uint8_t wait;               /* it may have to wait there, for this (enum wait_how) */
    uint8_t atomic;             /* HEDDLE_ATOMIC_LOAD ...; only with --weak */
};

enum { REPEAT_MAX = 16, REPEAT_RING = 2 * REPEAT_MAX };

/* An event that said nothing new, and where it stands in the trace. */
struct repeat_event {
    const struct __heddle_site *site;
    uint64_t what, value;            /* address and kind */
    const uint8_t *start;            /* in the trace */
    const struct repeat_event *then; /* in the cycle */
    uint32_t id;                     /* of the site */
};

/* A cycle of events that goes round; see repeat.h. */
struct repeat {
    const uint8_t *end; /* of its record; NULL: none goes round */
    const struct repeat_event *next;
    uint8_t *counter; /* in the trace */
    uint32_t count;
    uint32_t cycle, cycle_bytes;
    uint64_t skipped; /* bytes that earlier ones would have taken */

    /* looking for one */
    const uint8_t *tail;                   /* where the ring's last event ends */
    uint32_t len, anchor, period, matched; /* positions count on, modulo the ring */
    uint32_t patience;                     /* times that a cycle must have come again */
    struct repeat_event ring[REPEAT_RING];
};

/* Who touched eight bytes of the target; see shadow.c. */
struct cell {
    uint32_t w, r;
};
#define CELL_SHARED 0xffffffffu /* w and r: recorded while its block lives */
#define CELL_NOBODY 0xfffffffdu /* in no cell */
#define CELL_ALWAYS 0xfffffffeu /* recorded in all its lives */
#define CELL_MANY 0x80000000u   /* r: several read it; the rest is the newest segment then */
#define CELL_PRIVATE 1u         /* w and r: told not to be shared; everybody's segment */

enum { SAVED_MAX = 4, SAVED_WORDS = 4, ENDED_MAX = 32 };
struct saved {
    uint64_t at, words[SAVED_WORDS];
};

enum { MAPPINGS_MAX = 64 };
struct mapping {
    uint64_t at, len; /* 0: unused */
    bool has_ended;   /* and nothing was put in its place */
};

struct ended {
    uint64_t low, high;
    uint32_t depth;                    /* of its frame; 0: it was below that */
    const struct __heddle_site *frame; /* which frame that was, */
    uint64_t frame_low;                /* and where it ended */
};

/* One has the token: it runs, and nobody else does. A thread is in rt.ready exactly if it is
 * READY, in rt.timed exactly if it has a deadline, in its wait_obj's queue exactly once. Who
 * runs waits for nothing. Steps only grow. A condition wait goes over into one for `then`. */
struct thr {
    /* looked at by every hook */
    uint64_t step;         /* hooks it went through */
    uint64_t until;        /* the step at which the scheduler wants a word */
    uint64_t last_write;   /* step of the last change it made, to memory or a sync object */
    struct cell own;       /* of memory that nobody else has touched; the hook returns then */
    const uint8_t *shadow; /* rt.shadow and its mask */
    uint64_t shadow_mask;
    struct __heddle_site **frames;
    uint32_t depth; /* of calls, may exceed FRAMES_MAX */
    thr_id id;
    uint8_t learnt; /* the next branch tells something: it is the first, or news came */
    uint64_t *lows; /* by frame: where it ends */
    struct saved saved[SAVED_MAX]; /* before a call that may change it */
    uint32_t saved_count;
    uint8_t waits_for_lock; /* of a file: LOCK_BY_FLOCK, with wait_what descriptor and how */

    /* the scheduler's */
    uint32_t go; /* futex word: 1 = the token is yours; written by the giver */
    enum thr_state state;
    struct __heddle_site *here; /* __heddle_here while it does not run */
    struct place at;            /* the point it came to last */
    bool stands;                /* guided: it has not gone on from there */
    uint32_t guide;             /* guided: which thread of the witness, or NO_ID */
    bool asleep;                /* exhaustive: choosing it would be in vain */
    uint64_t held_until;        /* targeted: the choice; 0: it is not held back */
    uint64_t in_step;           /* when it got the token last */
    uint64_t left;              /* steps that all had made when it gave it away last */
    uint64_t time_step;         /* up to where its steps have been counted as time */
    uint64_t ask;               /* the step at which the policy wants to choose */
    uint64_t spin_step;         /* the step at which to look for spinning */
    uint64_t watch_end;         /* 0: not looking */
    uint64_t watched[WATCH_MAX], watched_addr[WATCH_MAX];
    uint32_t watched_count;
    uint32_t in_vain;     /* waits for sync objects that timed out */
    uint32_t spin_rounds; /* times it was found spinning, nothing having changed */
    const void *tried;    /* the word that it last tried in vain to change, when, */
    uint64_t try_step;
    uint32_t tries;     /* and how often by now */
    uint64_t priority;  /* policy pct */
    uint64_t look_step; /* of its last look at a clock */
    uint32_t looks;     /* at it, one after the other, and little between them */

    /* what it waits for */
    enum wait_how wait_how;
    enum wake_how woken;
    struct obj *wait_obj;
    struct obj *then;      /* the mutex a condition wait ends with */
    struct thr *wait_next; /* in wait_obj's queue */
    struct __heddle_site *wait_site;
    uint64_t deadline, deadline_order; /* virtual time; in which order they were set */
    uint64_t wait_ns;                  /* how long it was to be */
    uint64_t late_from;                /* rt.late_ns then, and more: see late.c */
    uint64_t woken_by;                 /* event that did, or NO_EVENT */
    struct pollfd *wait_fds;           /* one of these is to be ready */
    uint32_t wait_fd_count;
    bool (*wait_test)(struct thr *); /* or this is to hold; null: descriptors only */
    const void *wait_what;           /* what it looks at */
    const char *wait_word;           /* and what that is, to people */
    uint64_t wait_mask;              /* futex bit set */
    uint32_t returned;               /* outside call is over; written without the token */

    /* the shadow's */
    uint32_t segment;
    uint32_t floor; /* all segments below it are before this thread */
    uint32_t born;  /* its first segment */
    uint64_t stack_low, stack_high, stack_bytes;
    struct ended ended[ENDED_MAX]; /* variables, and nothing is known to be there since */
    uint32_t ended_count;

    /* its life */
    pthread_t handle;
    int tid;
    int shown_tid;                /* what the target takes for it; 0: it did not ask */
    uint64_t cpus[16];            /* that it asked for, */
    bool has_cpus;                /* if it did */
    uint64_t chance_name, chance; /* its stream of random numbers, and where it stands */
    void *(*start)(void *);
    void *start_arg;
    bool c11;      /* start returns int */
    bool detached; /* as the target sees it; the real thread is always joinable */
    bool joined;   /* the real one is gone */
    bool is_main;
    struct thr *joiner;
    thr_id parent;
    uint32_t spawn;   /* which child of its parent it is */
    uint32_t spawned; /* children so far */
    bool introduced;  /* the log of this run says whose child it is */
    uint32_t slot;    /* of its frames and signal stack */
    bool cancel_pending, cancel_off, cancel_async;
    struct obj *held;          /* robust mutexes, chained */
    uint64_t signals;          /* pending, directed at it */
    uint64_t routed;           /* those of them that were sent to the process */
    uint64_t mask;             /* signals it blocks */
    uint64_t handled;          /* handlers it has run */
    uint64_t signal_step;      /* replay: the step at which a signal of the system comes, */
    uint64_t signal_wait;      /* or the step of the wait that it ends */
    uint64_t limit_step;       /* replay: the step at which the time limit struck */
    struct handling *handling; /* the innermost handler that runs; null: none does */
    int handler_signal;        /* the handler that runs came anywhere; 0: in a call or a wait */
    uint64_t
        unsafe_open;  /* signals that could come while it was in what is not safe for them */
    bool interrupted; /* by a handler without SA_RESTART */
    struct omp_worker *openmp;
};

/* State of one sync object, found by its address. The target's own object is not touched. Of a
 * lock: depth is 0 exactly if there is no owner; it has an owner or readers, not both; it is in
 * its owner's list of robust mutexes, or in none. The index knows each object once. */
struct obj {
    uint64_t addr;
    uint8_t class;      /* CLASS word + 1; 0 = unused */
    bool is_shared;     /* other processes may know it */
    bool is_foreign;    /* one of them made it */
    bool is_stream;     /* the lock of a FILE: no mutex of the target's */
    bool is_inherited;  /* the parent of this forked child took it */
    bool inconsistent;  /* robust: the owner died */
    bool unrecoverable; /* robust: unlocked without being made consistent */
    thr_id owner;       /* NO_ID: none */
    uint32_t depth;
    uint32_t readers;     /* read holds of a read-write lock */
    uint32_t reader_head; /* in rt.reads, or NO_ID */
    uint32_t need, arrived;
    uint64_t round;
    struct thr *first, *last; /* waiting threads, each once */
    uint32_t waiting, waiting_writers;
    uint32_t wanted;             /* condition waits that will end with it: it stays as long */
    struct __heddle_site *since; /* where the owner got it */
    struct obj *held_next;       /* in its owner's list of robust mutexes */
};

/* One thread's hold of a read-write lock for reading. */
struct read_hold {
    struct thr *thr;
    struct __heddle_site *since;
    uint32_t count, next;
};

struct policy {
    void (*start)(void);
    /* t begins to run: the step at which it is to be asked, NEVER if not at all */
    uint64_t (*ask)(struct thr *t);
    /* t's step has come: who is to run; t itself is fine */
    struct thr *(*point)(struct thr *t);
    /* t cannot or will not go on; *why may be made more precise */
    struct thr *(*pick)(struct thr *t, uint16_t *why);
    void (*born)(struct thr *t); /* may be null */
    /* the running one has made this thread: shall it be let in now? pick is asked then, for a
     * thread that yields; may be null */
    bool (*created)(struct thr *child);
    void (*ready)(struct thr *t);  /* may be null */
    void (*yields)(struct thr *t); /* may be null */
    bool (*ends)(void); /* the process: shall it be asked now who is to run? may be null */
    void (*chosen)(struct thr *t, struct thr *next, uint16_t why); /* may be null */
    struct thr *(*waiter)(struct obj *o); /* a signal wakes one of these; may be null */
    void (*passes)(struct thr *t);        /* it goes on from its point; may be null */
    /* which one of so many things an atomic access of t does; null: 0, the usual one */
    uint32_t (*weak)(struct thr *t, uint32_t count, struct __heddle_site *site);
    /* it did something that is recorded and no plain access; may be null */
    void (*event)(struct thr *t, unsigned kind, const struct __heddle_site *site);
};

struct settings {
    char dir[PATH_BYTES], schedule[PATH_BYTES], input[PATH_BYTES], shared[PATH_BYTES];
    char targets[PATH_BYTES], peers[PATH_BYTES], pad[PATH_BYTES];
    char copy[PATH_BYTES], from[PATH_BYTES]; /* of which directory it is one */
    char client[PATH_BYTES];  /* file to make once somebody could talk to it; empty: none */
    char process[PATH_BYTES]; /* which one the run is about; empty: each records itself */
    const struct policy *policy;
    uint64_t seed;
    uint64_t depth;    /* pct: bugs of this depth */
    uint64_t length;   /* pct: expected steps of a run */
    uint64_t change;   /* random, rr: switch every so many points */
    uint64_t steps;    /* budget of a run, all threads together */
    uint64_t spurious; /* choices between wake-ups that nobody asked for; 0: none */
    uint64_t fair;     /* steps of one thread while others could run */
    uint64_t bytes;    /* budget of the trace */
    uint64_t budget;   /* bytes in which everything is recorded; behind it, what is shared */
    uint64_t sharing;  /* find out what is shared */
    uint64_t apart;    /* APART_* */
    uint64_t before;   /* keep what there was where files change */
    uint64_t alone;    /* 1: who talked to the recorded run is not there */
    uint64_t children; /* forked ones go on under the scheduler, recorded; so many if not 1 */
    uint64_t family;   /* the run is another program's, and we are one of its children */
    uint64_t time_ns;  /* what CLOCK_REALTIME says at the start */
    uint64_t tick_ns;  /* what a look at a clock costs */
    uint64_t step_ns;  /* what a step costs */
    uint64_t delay_ns; /* by how much others may be late for a wait to time out */
    uint64_t expired;  /* policies may let longer ones time out */
    uint64_t stall_ms; /* that a thread may compute without a step; 0: any time */
    uint64_t after, after_ns; /* steps, virtual time before recording begins */
    uint64_t signal;          /* switches recording; it begins switched off */
    uint64_t window, window_thr, window_step, window_end_thr, window_end_step;
    uint64_t check;  /* tell writes by whom we do not see */
    uint64_t repeat; /* do not write out what happens again and again */
    uint64_t values, record, calls, pin;
    uint64_t stop; /* number of the event before which a debugger is called */
    uint64_t end;  /* number of events behind which the record that is followed was cut off */
    uint64_t weak; /* enum weak_mode */
    uint64_t history; /* stores kept of each atomic object */
    uint64_t cpu;     /* the how many-th processor to run on, from 1; 0: where we are */
};

/* A file of the run, written through mappings that move along it. */
struct run_file {
    const char *name;
    int fd;
    uint8_t *at;     /* where the window is mapped */
    uint64_t offset; /* of the window in the file */
    uint64_t window_bytes;
    uint64_t used;    /* of the file */
    uint64_t claimed; /* of the disk: run_file_room */
};

/* The calls of one name by one thread, and in a replay their records, chained. */
struct input_key {
    uint64_t hash; /* 0: unused */
    uint32_t called;
    uint32_t next, last; /* record, or NO_ID */
};

struct input {
    int fd;
    int stdin_fd;   /* of a file with what was read from descriptor 0; -1: nothing yet */
    uint64_t count; /* records written */
    struct input_key *keys;
    uint32_t key_count, piece_count;
    struct iovec pieces[INPUT_PIECES_MAX]; /* of the call that is being made */
    bool own[INPUT_PIECES_MAX];            /* not in the target's memory */
    struct iovec parts[2 * INPUT_PIECES_MAX + 3];
    uint32_t lengths[INPUT_PIECES_MAX];

    const uint8_t *log; /* of the run that is replayed */
    uint64_t *offsets;  /* of its records */
    uint32_t *links;    /* to the next record of the same key, or NO_ID */
    uint32_t log_count;
    bool exact; /* all answers come from a log, and nothing may be missing in it */
};

/* Where in a step a handler runs: at the point, in a wait that it ends, or in a call about
 * signals. */
enum signal_where { SIGNAL_AT_POINT, SIGNAL_IN_WAIT, SIGNAL_IN_CALL };

/* A signal of the system that a thread got, in the log. */
struct signal_note {
    uint64_t step, handled, where;
    siginfo_t info;
};

/* A signal of real time that waits for its turn. */
struct queued {
    uint32_t state;
    int signal;
    thr_id to;    /* NO_ID: the process */
    bool arrived; /* the system sent it */
    uint64_t order;
    uint64_t by; /* the event that sent it, or NO_EVENT */
    siginfo_t info;
};

/* A named semaphore that is open. */
struct named {
    uint64_t device, node;
    sem_t *at;
    uint32_t count; /* times it was opened; 0: unused */
};

/* What a signalfd of the target is. */
struct signalfd {
    int fd, other; /* its end, and ours; -1: a replay */
    uint64_t mask;
    bool is_used;
};

/* A timer of the target, in virtual time. */
struct timer {
    uint64_t deadline, interval, order;
    uint64_t late_from; /* as in struct thr */
    int signal;         /* 0: none */
    int fd;             /* eventfd that counts; -1: none */
    thr_id thr;         /* whom the signal goes to; NO_ID: the process */
    uint32_t overrun;
    union sigval value;
    bool used, is_posix;
    int clock;
    void (*notify)(union sigval); /* in a thread of its own; null: not so */
    thr_id helper;                /* the thread that starts those */
    uint32_t due;                 /* how many it has yet to start */
};

/* A wait, or sleep, that ended by time although others could run, and were very late so. */
struct needed_wait {
    const struct __heddle_site *site;
    uint64_t ns;
    bool is_sleep;
};

/* What epoll is to give back for a descriptor. */
struct watch {
    uint64_t key; /* 0: unused */
    uint64_t data;
    uint64_t told;  /* the event by which it can be reported, plus 1; 0: none */
    uint64_t put;   /* the event by which it came into the set, or went, plus 1 */
    uint32_t wants; /* EPOLLIN and so on */
};

struct watch *watch_of(int ep, int fd);

/* What becomes of a child. */
enum fork_how {
    FORK_OFF,      /* it goes on without us */
    FORK_RECORDED, /* with a directory of its own */
    FORK_SILENT,   /* under the scheduler, and nothing is recorded */
    FORK_HEIR,     /* with its parent's files and policy */
    FORK_REPLAYED, /* the same in a replay, where there is no parent */
};

struct atfork {
    void (*prepare)(void), (*parent)(void), (*child)(void);
};

/* Memory that other processes may have too: where it is, its place among the copies. */
struct shared_map {
    uint64_t addr, len, at;
    bool is_kept;
};

enum { SHARED_MAPS_MAX = 64 };

/* A stream that popen made. */
struct shell {
    FILE *stream;
    pid_t pid;
};

/* A directory that is open, and what readdir gave last for it: a block of the target's. */
struct directory {
    struct directory *next;
    const DIR *of;
    struct dirent entry;
};

/* A named pipe that a thread of the target has open for writing. */
struct fifo {
    uint64_t device, node;
    int fd;
    bool is_used;
};

/* How long calls on a socket wait. */
struct patience {
    int fd;
    bool is_used;
    uint64_t in_ns, out_ns;
};

/* A file that the target has mapped to share it; see mapped.c. */
struct mapped {
    uint64_t device, node;
    int fd; /* replay: of the one that stands in for it; -1 */
};

/* A connection from outside, or somebody there whom datagrams come from; see peer-record.c. */
struct peer {
    bool is_datagram;
    socklen_t name_len;           /* of datagrams: */
    struct sockaddr_storage name; /* who it is, as the target knows it */
    struct sockaddr_storage own;  /* the target's end, as it knows it */
    socklen_t own_len;
    bool is_called;     /* the target connects to him: peer-reach.c */
    bool is_answered;   /* and he has let it in, or not */
    bool is_reached;    /* played: it has asked for him */
    int refusal;        /* played: the error that it gets; 0: none */
    int fd;             /* the target's end; -1: not yet, or closed, or none alone */
    int ours;           /* played: the other end, or -1 */
    bool has_ended;     /* nothing more comes */
    uint32_t hash;      /* called: of what it was sent; 0: not known */
    uint32_t mark_hash; /* played: what that was in the record, ... */
    uint64_t mark;      /* ... when so many bytes had been sent; 0: it is never asked */
    uint64_t sent;      /* by the target */
    uint64_t pending;   /* bytes that had come when pending_sent was noted */
    uint64_t pending_sent[PEERS_MAX];
};

/* A socket of the target for datagrams; see datagram.c. */
struct datagram_socket {
    int fd;           /* -1: closed */
    uint32_t pending; /* datagrams that had come when pending_sent was noted */
    uint32_t queued;  /* played: which the target has not taken yet */
    uint64_t pending_sent[PEERS_MAX];
};

/* What threads of the target tell each other through descriptors. */
enum channel_kind {
    CHANNEL_BYTES,    /* each is counted */
    CHANNEL_MESSAGES, /* each is counted, and what it was is not */
    CHANNEL_EVENT,    /* what is read sums up all that was written */
    CHANNEL_COUNT,    /* counted down one by one */
    CHANNEL_SIGNALS,
};
struct channel {
    uint8_t kind;
    bool is_outside;                /* not all that goes through it is known */
    bool is_looked_at;              /* somebody would have read more ... */
    bool room_is_looked_at;         /* ... or written more */
    bool is_closed, room_is_closed; /* an end of it was closed */
    bool was_full;                  /* at some time */
    uint32_t state, room;           /* things: what is in it, how much more can be */
    uint64_t put, got;              /* so far */
    uint64_t made;                  /* the event since which it can be read, or NO_EVENT */
    uint64_t last_put, last_got;    /* events, or NO_EVENT */
    uint64_t opened;                /* since when others can connect, or NO_EVENT */
    uint64_t sets, room_sets;       /* bits: the sets of epoll that wait for it */
};

/* A connection of the target with itself. */
struct connection {
    int listener;
    uint16_t port;    /* of who connected; 0: of the Unix domain */
    uint16_t in, out; /* channels, seen from there */
    bool is_taken;
    uint64_t event; /* that made it */
};
enum { CONNECTIONS_MAX = 1024 };

/* What an epoll descriptor waits for. */
struct epoll_set {
    uint32_t state, less; /* things: what is ready; that something is not any more */
    bool is_looked_at;
    bool has_outside;
    uint64_t inner; /* bits: sets in this one */
};

/* Numbers from 1 on; 0: none. */
struct channel_ends {
    uint16_t in, out;
    uint8_t set;     /* of epoll */
    uint64_t node;   /* of a file */
    uint32_t offset; /* where it is read and written: a thing */
    uint32_t
        closer; /* the thread that has closed it, plus 1; 0: none, or it was opened since */
};

/* Something of the system that threads may tell each other by (thing.c). */
typedef uint32_t thing_id; /* from 1 on */
enum thing_kind {
    THING_OUTSIDE = 1, /* other processes, all of them */
    THING_LISTS,       /* what is in directories, all of them */
    THING_NAME,
    THING_DIRECTORY, /* that it is there */
    THING_WORK,      /* where the target works */
    THING_FILE,      /* its bytes */
    THING_OFFSET,    /* where an open file stands */
    THING_LOCK,      /* of an open file, held alone */
    THING_LOCK_SHARED,
    THING_QUEUE,   /* and semaphores, by their number */
    THING_CHANNEL, /* pipes, sockets, event descriptors, sets of epoll */
    THING_DESCRIPTOR,
    THING_SIGNAL,    /* by its number: how often it was sent */
    THING_TIMER,     /* when it strikes, if at all */
    THING_ANNOTATED, /* an address that the target names; 1: locks of readers */
    THING_OPENMP,
};
struct thing {
    uint64_t a, b;
    bool is_mapped; /* file: its bytes are memory of the target */
    uint8_t kind;
};

/* Where a name is, in a form that the log keeps. */
struct spot {
    uint64_t parent, name;       /* 0: not known */
    uint64_t to_parent, to_name; /* what it leads to, if it is a symbolic link; or 0 */
    uint64_t self;               /* what has the name, or 0 */
    uint32_t existed, is_file;
    uint32_t is_relative; /* to where the target works */
};

enum { LOCK_BY_FLOCK = 1, LOCK_BY_FCNTL }; /* the latter of open files, by ranges */

/* An open file through which its file was locked. */
struct file_lock {
    uint64_t node;
    uint32_t offset;
    uint8_t kind; /* flock, or of an open file by fcntl */
    uint8_t held; /* 0: not, as far as is known; else shared or alone */
};

enum { BEFORE_SEEN = 8192 };

/* What there was before the run, as far as it has changed it. */
struct before_kept {
    int fd;        /* of the log; 0: nothing has changed yet */
    uint32_t next; /* number of the file with old contents that was made last */
    uint32_t count;
    uint64_t seen[BEFORE_SEEN]; /* hashes of paths; 0: unused */
};

/* Maps of what threads know: know.c. */
struct know_nodes {
    uint32_t count, free;
    bool is_full;
};

/* Weak behaviour of atomics: weak.c, weak-sync.c. */
struct weak {
    bool on;
    bool is_marked; /* the trace is: something stale was read, or stored early */
    struct weak_store *stores;
    struct weak_loc *locs;
    struct weak_thr *thr;
    struct weak_sync *syncs;
    struct weak_word *words;                 /* weak-race.c: who accessed what */
    const struct __heddle_site *races[4][2]; /* that were told */
    uint32_t race_count;
    uint32_t *buckets;
    uint16_t *pages, *word_pages;
    uint32_t loc_count, free_loc, sync_count;
    uint32_t sc;                              /* a view: what seq_cst operations have seen */
    struct know overflow;                     /* by way of objects that are not followed */
    struct know told;                         /* about all things of the system */
    uint64_t choices, taken;                  /* that could be made; that were not 0 */
    uint64_t cut, mixed, wide, foreign, spun; /* what was left out */
    bool left_out;                            /* anything */
    uint8_t about;                            /* the kind of the atomic access that comes */
};

struct rt {
    uint8_t *shadow; /* cells: who touched what */
    uint64_t shadow_mask;
    bool everything; /* private accesses are recorded too */
    bool recording;  /* events go to the trace */
    bool accesses;   /* accesses too; not while paused, or once the budget is spent */
    bool owning;     /* the shadow finds out what is shared; else it is told */
    struct weak weak;
    struct know_nodes know;
    bool on;    /* recording or replaying, and not ended */
    bool ended; /* the outcome is written */
    int pid;
    struct settings set;
    struct thr *running; /* null: everybody is outside */
    struct thr *threads;
    uint32_t thread_count, live_count;
    struct thr **ready;
    uint32_t ready_count;
    uint32_t spinning_count, timed_count, outside_count, fd_count;
    struct thr **timed;
    struct thr *dying;   /* gave the token away for ever: wait for its real end */
    uint32_t token_free; /* written by all: everybody is outside */
    uint32_t returns;    /* written by all: futex word, counts outside calls ended */
    uint64_t steps_past; /* of threads that do not run */
    uint64_t now_ns;     /* virtual monotonic time */
    uint64_t next_deadline;
    uint64_t strikes_ns; /* the timer whose descriptor becomes ready now does so at this time */
    uint64_t idle_ns;    /* real time waited towards the next deadline */
    uint64_t late_ns;    /* virtual time that passed although somebody could run: late.c */
    uint32_t returns_seen, idle;
    struct thr *last; /* who had a token that is free now */
    bool manage;      /* whoever is woken now chooses for `last` */
    uint64_t random;
    uint8_t *slots;

    struct obj *objects, *object_last;
    uint32_t object_count, object_used, free_object;
    uint32_t *object_index;
    struct read_hold *reads;
    uint32_t read_count, free_read;

    struct trace_writer trace;
    struct run_file trace_file, schedule_file, shared_file;
    uint64_t choice_count; /* in the schedule until now */
    uint64_t file_max;     /* bytes that a file may have */
    uint32_t site_count, unit_count, loaded_count;
    struct mapping mappings[MAPPINGS_MAX];
    bool has_strangers;   /* libraries that are not instrumented, and not the system's own */
    struct range libc[2]; /* the code of libc and of the dynamic linker */
    uint32_t trace_flags;
    struct __heddle_site nowhere;
    struct __heddle_unit no_unit; /* of it */

    bool stretch_pending; /* recording is to begin, or a window to begin or end */
    bool in_window, window_outside, window_calls;
    bool pause_told;   /* the trace says that accesses are missing */
    bool values_kept;  /* in the trace as they are, and in seen */
    struct seen *seen; /* see seen.h */
    struct repeat repeat;
    uint8_t no_news; /* 0: of whoever is not recorded */
    uint32_t segment_count;

    const struct choice *plan; /* replay: what to do */
    uint64_t plan_count, plan_next;
    uint64_t plan_arrival;   /* in the plan: the first piece from outside that has not come */
    struct guide *guide;     /* guided: what to do */
    uint32_t spurious_count; /* waits that were made to return unasked */
    bool has_bound;          /* a socket of its own to an address */
    uint64_t signals;        /* pending, directed at the process; written by handlers */
    uint64_t arrived;        /* those of them that the system sent */
    uint64_t caught;         /* the system's way to tell us is in place */
    bool has_children, has_shared_locks, said_shared; /* shared.c */
    bool has_shared_memory, said_shared_memory;
    struct family *family; /* turn.c; null: it has not forked */
    uint64_t turn_steps;   /* made when others are to have their turn */
    bool about_one;        /* the run is about one process: see forked.c */
    int alive_fd;          /* a name in the run's directory: the family is alive; 0: none */
    bool is_at_point;      /* of a step that has not been made yet */
    bool is_unrecorded;    /* the run is about another process of the family */
    enum fork_how forking; /* what becomes of the child that is being made */
    struct named named[NAMED_MAX];
    struct queued queued[QUEUED_MAX];
    uint32_t queued_count;
    uint64_t queued_order;
    struct signalfd signalfds[SIGNALFDS_MAX];
    uint64_t signalfd_mask; /* of all of them */
    struct timer timers[TIMERS_MAX];
    int timer_count;
    struct input input;
    struct before_kept before;
    const char *strtok_next; /* where it goes on */
    struct directory *directories;
    uint16_t moved_port; /* another run has it: the target listens elsewhere; 0: none */
    uint32_t port_next;  /* of those that the target leaves to the system */
    int shown_pid;       /* what the target takes for its process id; 0: it did not ask */
    struct watch *watches;
    uint32_t watch_count;
    uint8_t *descriptors; /* flags, by number */
    struct fifo fifos[FIFOS_MAX];
    struct mapped mapped[MAPPED_MAX];
    uint32_t mapped_count;
    struct play *play; /* of what was recorded; null: the world is as it is */
    struct play *told; /* the record, also if it has only look-ups */
    int peers_fd;      /* the file for it; -1: nothing came yet */
    struct peer peers[PEERS_MAX];
    uint32_t peer_count;
    uint8_t peer_fds[CHANNEL_FDS_MAX], listener_fds[CHANNEL_FDS_MAX]; /* numbers from 1 on */
    int listeners[LISTENERS_MAX];                                     /* descriptors */
    uint8_t listener_count;
    bool has_listened; /* and has said so */
    struct channel_ends channel_ends[CHANNEL_FDS_MAX];
    struct thing *things;
    uint32_t *thing_index; /* by hash */
    struct openmp *openmp;
    bool is_watched; /* by inotify */
    struct connection connections[CONNECTIONS_MAX];
    uint32_t connection_count;
    struct sigaction actions[65];
    struct {
        char *at; /* where libc's memory is while it answers us; null: we have not started */
        uint64_t used, begin, live; /* bytes; of those before this time; blocks since */
        bool is_on;
    } aside;
    bool shares_ends;  /* other processes may have descriptors of the target's */
    bool has_handlers; /* a signal may come to another thread than the one that waits */
    bool awaits_event; /* a certain one: every point asks */
    uint32_t late;     /* how often the host said that it is */
    uint64_t cpus[16]; /* where the target may run */
    bool pinned;
    unsigned cpu;      /* the one they are on */
    char process[256]; /* which one it is: 2/1 is the first child of the second */

    /* What one file alone uses, under its name. */
    struct {
        struct channel channels[CHANNELS_MAX];
        uint32_t count;
        struct epoll_set epoll_sets[EPOLL_SETS_MAX];
        uint32_t epoll_set_count;
    } channel; /* channel.c */
    struct {
        struct patience patiences[PATIENCES_MAX];
        bool has_patiences;
        int null_fd; /* replay: what placeholders are copies of */
    } descriptor;    /* descriptor.c */
    struct {
        struct file_lock file_locks[FILE_LOCKS_MAX];
        uint32_t count;
    } file_lock; /* file-lock.c */
    struct {
        uint32_t forks;                    /* so far, of this process */
        bool said_many;                    /* children */
        uint64_t strangers[STRANGERS_MAX]; /* hashes of programs that were named */
        uint32_t fork_place;               /* its place in the family */
    } forked;                              /* forked.c */
    struct {
        uint64_t hidden[HIDDEN_MAX];
        uint64_t hidden_at[HIDDEN_MAX]; /* where the trace knows it by name */
    } hiding;                           /* hidden.c */
    struct {
        struct atfork atforks[ATFORKS_MAX];
        uint32_t atfork_count;
        struct shell shells[SHELLS_MAX];
    } child; /* hook-child.c */
    struct {
        bool watches_exit; /* the beginning of it */
        int quick_code;    /* of quick_exit */
    } ending;              /* hook-process.c */
    struct {
        bool has_lost; /* of real time, from outside; written by handlers */
        uint64_t sent; /* those that threads of the target sent, and nobody else */
        siginfo_t infos[65];
        uint64_t sent_by[65]; /* the event, of real-time ones; or NO_EVENT */
    } signal;                 /* hook-signal.c */
    struct {
        struct needed_wait needed[NEEDED_MAX];
        uint32_t needed_count;
    } lateness; /* late.c */
    struct {
        uint32_t slot_count, free_slot;
        uint32_t *free_slots;
    } memory; /* memory.c */
    struct {
        bool is_broken;      /* a CHECK failed */
        uint32_t doubts;     /* a bit for every enum doubt that was written down */
        bool torn;           /* the end came in the middle of something */
        bool stopped;        /* the debugger has been called */
        uint64_t late_steps; /* made when it first did */
        bool probing;        /* the signal on its way comes from our own timer */
    } outcome;               /* outcome.c */
    struct {
        uint64_t own_ports[1024]; /* from which the target itself has connected */
    } peer_record;                /* peer-record.c */
    struct {
        const void *blocks[EXCEPTIONS_MAX];
        uint32_t count;
    } exceptions; /* hook-cxx.c */
    struct {
        int listener;    /* where the call that is made will come to; -1: nowhere */
        uint32_t number; /* of who is played there; NO_ID: nobody */
        bool is_asked;   /* for somebody outside, by the call that is made */
    } reach;             /* peer-reach.c */
    struct {
        struct datagram_socket sockets[DATAGRAMS_MAX];
        uint8_t count, fds[CHANNEL_FDS_MAX];        /* numbers from 1 on */
        uint64_t ports[1024], names[DATAGRAMS_MAX]; /* of the target's sockets; hashes */
        uint32_t name_count;
        bool has_nameless; /* one of them without a name has sent something */
        struct sockaddr_storage from;
        socklen_t from_len;
        int64_t heard_len; /* of the one that is read next; -1: none */
        char heard[DATAGRAM_BYTES];
    } datagram; /* datagram.c */
    struct {
        struct points_head *points; /* exhaustive: what was chosen; who is to be */
        const uint32_t *picks;
        uint32_t pick_count, pick_next, sleep_count;
    } exhaustive; /* policy-exhaustive.c */
    struct {
        struct choice *nudges; /* policy nudge; a mark of 0: used */
        uint64_t count;
    } nudge; /* policy-nudge.c */
    struct {
        uint64_t points[32], low;
        uint32_t count, next;
        uint64_t weak[32], weak_met; /* which of its weak choices are not the usual one */
        uint32_t weak_count;
    } pct; /* policy-pct.c */
    struct {
        uint64_t by_site; /* 0: the same everywhere */
        uint8_t stale;
        bool gathers;
    } temper; /* temper.c */
    struct {
        const struct guide_head *targets; /* targeted: where to switch */
        uint64_t choices;
    } targeted; /* policy-targeted.c */
    struct {
        thr_id only;         /* NO_ID: any; else the thread that may take a free token */
        uint64_t deadlines;  /* set so far */
        uint64_t left_ns;    /* that we have really waited */
        uint64_t look_steps; /* made when the world is to be looked at again */
    } sched;                 /* sched.c */
    struct {
        struct cell no_cell; /* everybody's, without a shadow */
        uint16_t *thr;
        uint32_t *known; /* [thread][other]: the other's last segment before the thread */
    } segments;          /* shadow.c */
    struct {
        struct shared_map shared_maps[SHARED_MAPS_MAX];
        uint32_t shared_map_count;
        uint64_t shared_bytes;
        bool is_shared_cut; /* there are more of them */
    } shared_memory;        /* shared-memory.c */
    struct {
        uint32_t *starts;
        uint64_t *pages;
        uint32_t block_count;
        uint64_t region_base[REGION_THREAD - REGION_FIRST], program_bytes;
        struct shared_range *last_range;
        const struct shared_range *ranges;
        uint32_t range_count, range_next;
    } sharing; /* sharing.c */
    struct {
        const struct thr *probed;
        uint64_t probed_steps, probed_ns;
    } spin; /* spin.c */
    struct {
        uint32_t count;
        uint64_t fresh; /* so many had no name */
    } thing;            /* thing.c */
    struct {
        pthread_key_t key;
        uint32_t tid_offset; /* of a thread's kernel id in what its handle points to */
    } thread;                /* thread.c */
    struct {
        uint32_t member;    /* which one of them we are */
        uint64_t seen;      /* steps of ours when we last had nothing to do */
        bool has_strangers; /* children that run other programs */
    } turn;                 /* turn.c */
    struct {
        char paths[MADE_MAX][MADE_BYTES];
        uint32_t made;
    } apart; /* apart.c */
};

#define HIDDEN __attribute__((visibility("hidden"))) /* reached without a detour */
extern struct rt rt HIDDEN;
extern __thread struct thr *self __asm__("__heddle_self")
    __attribute__((tls_model("initial-exec"), visibility("default")));

/* ---- frames.c: the lives of variables ------------------------------------------------- */
void frames_begin(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
void frames_end(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
void frames_part(struct thr *t); /* others run from here on */

/* ---- memory.c: address space of our own ---------------------------------------------- */
enum {
    SLOT_FRAMES_BYTES = FRAMES_MAX * 8,
    SLOT_SIGNAL_BYTES = 64 << 10,
    SLOT_LOWS_BYTES = LOWS_MAX * 8,
    SLOT_BYTES = SLOT_FRAMES_BYTES + SLOT_SIGNAL_BYTES + SLOT_LOWS_BYTES,
};
int memory_start(void);
void *memory_reserve(uint64_t where, uint64_t len);
void *memory_window(unsigned which); /* place for a file's window, 64 MiB each */
/* A whole file, to read; or null. */
void *memory_file(const char *path, unsigned window, uint64_t *bytes);
void *memory_far(unsigned which); /* place for something large, 64 GiB each */
struct log_map {
    struct log_head *head; /* null: it is no file of that kind */
    uint64_t bytes;
    bool is_there;
};
struct log_map memory_log(const char *path, void *where, unsigned kind, int protection);
uint32_t slot_get(void);
void slot_free(uint32_t slot);

/* ---- object.c: the table of sync objects --------------------------------------------- */
struct obj *obj_get(const volatile void *addr, unsigned class); /* made if it is new */
struct obj *obj_find(const volatile void *addr, unsigned class);
void obj_reset(struct obj *o);
void obj_drop(struct obj *o);
enum { /* marks in a lock's memory; no thread has such an id */
       LOCK_IS_HELD = 1 << 30,
       LOCK_IS_LEFT, /* robust: the process that had it has ended */
       LOCK_IS_LOST, /* and nobody made it consistent */
};
bool obj_is_stale(const struct obj *o); /* another lock began its life there */
bool obj_is_there(const struct obj *o);
void obj_unmark(const struct obj *o);
void obj_leave(const struct obj *o); /* robust, and its owner has ended */
void obj_renew(struct obj *o);
void obj_unhold(struct obj *o); /* off its owner's list of robust mutexes */
struct read_hold *read_find(struct obj *o, const struct thr *t);
void read_add(struct obj *o, struct thr *t, struct __heddle_site *site);
void read_remove(struct obj *o, struct read_hold *h);

/* ---- sched.c ------------------------------------------------------------------------- */
void sched_start(void);
struct thr *sched_new_thread(struct thr *parent);
void sched_slow(struct thr *t, struct __heddle_site *site, uint64_t addr, uint64_t len,
                unsigned kind, unsigned how);
bool sched_would_wait(const struct thr *t); /* if it went on from the point it stands at */
void sched_ready(struct thr *t);
void sched_unready(struct thr *t);
bool sched_is_timed(const struct thr *t);
bool sched_expire_first(void);
bool sched_has_world(void); /* does anybody wait for more than what threads do here? */
void sched_deadlines_changed(void);
void sched_serve_logged(const struct thr *by, uint64_t step);
void sched_unspin(struct thr *t);
bool sched_watches_clock(const struct thr *t); /* and spins */
void sched_until(struct thr *t);
void sched_ensure_ready(struct thr *t, uint16_t *why);
enum wake_how sched_block(struct thr *t, struct obj *o, enum wait_how how, uint64_t deadline);
void sched_wake_logged(struct thr *w, bool is_at_point);
struct thr *sched_wake_first(struct obj *o, uint64_t by);
void sched_wake_one(struct obj *o, uint64_t by);
void sched_wake_unasked(struct thr *w);
void sched_wake(struct thr *w, enum wake_how how);
void sched_leave_waiting(struct obj *o); /* they go on waiting, for nothing that comes */
void sched_changed(struct obj *o);
void sched_let_have(struct thr *t);
void sched_yielded(struct thr *t);
void sched_tried(struct thr *t); /* in vain, over and over: it rests until something changes */
void sched_before_end(struct thr *t, bool is_over);
void sched_exit(struct thr *t);
void sched_park_first(struct thr *t);
/* Until one of the descriptors is ready, for the thread's own call not to wait then. */
enum wake_how sched_block_fds(struct thr *t, struct pollfd *fds, uint32_t count,
                              uint64_t deadline);
/* The same until a test holds, which is made again and again. word: what is waited for. */
enum wake_how sched_block_test(struct thr *t, bool (*test)(struct thr *), const void *what,
                               const char *word, uint64_t deadline);
void sched_look_at_fds(void); /* something may have changed that others wait for */
bool sched_goes_outside(const struct thr *t, bool would_wait);
bool sched_follows(void); /* a schedule, and it is not at its end */
void sched_outside_begin(struct thr *t);
void sched_outside_end(struct thr *t);
bool sched_outside_wait(uint64_t max_ns);
void sched_collect(void);
void sched_pass_time(uint64_t ns);
uint64_t sched_now(void);
uint64_t sched_steps(void);

/* Around a call outside. Cancellation may unwind it: its thread needs the token again before
 * its cleanup handlers run. */
struct outside {
    struct thr *thr;
    bool is_out;
};

static inline struct outside outside_begin(struct thr *t, bool goes)
{
    if (goes)
        sched_outside_begin(t);
    return (struct outside){t, goes};
}

static inline void outside_end(struct outside *o)
{
    if (o->is_out)
        sched_outside_end(o->thr);
    o->is_out = false;
}

static inline void outside_unwind(struct outside *o)
{
    if (!o->is_out)
        return;
    sched_outside_end(o->thr);
    o->thr->cancel_pending = false;
    o->thr->cancel_off = true;
}

#define OUTSIDE(name, t, goes) \
    __attribute__((cleanup(outside_unwind))) struct outside name = outside_begin(t, goes)

enum { POINT_IS_WATCHED = 256 }; /* beside the enum wait_how */

/* A switch is allowed here. Plain numbers, for they cost nothing on the usual way. */
static inline void point_to(struct thr *t, struct __heddle_site *site,
                            const volatile void *addr, uint64_t len, unsigned kind,
                            unsigned how)
{
    if (UNLIKELY(++t->step >= t->until))
        sched_slow(t, site, (uint64_t)(uintptr_t)addr, len, kind, how);
}

static inline void point(struct thr *t)
{
    point_to(t, __heddle_here, NULL, 0, 0, WAIT_NONE);
}

/* Before something is done to a sync object. */
static inline void point_on(struct thr *t, const volatile void *obj)
{
    point_to(t, __heddle_here, obj, 0, 0, WAIT_NONE);
}

/* Before waiting for it, for as long as it takes. */
static inline void point_wait(struct thr *t, const volatile void *obj, enum wait_how how)
{
    point_to(t, __heddle_here, obj, 0, 0, how);
}

/* At a place that a waiting loop would come back to. */
static inline void point_at(struct thr *t, const volatile void *addr,
                            struct __heddle_site *site)
{
    point_to(t, site, addr, 0, 0, POINT_IS_WATCHED);
}

/* Right before an access whose step is counted already; kind 0: an atomic one. */
static inline void point_reached(struct thr *t, unsigned kind, const volatile void *addr,
                                 uint64_t len, struct __heddle_site *site)
{
    if (UNLIKELY(t->step >= t->until))
        sched_slow(t, site, (uint64_t)(uintptr_t)addr, len, kind,
                   kind != EV_WRITE && kind != EV_WRITE_RANGE ? POINT_IS_WATCHED : WAIT_NONE);
}

static inline void point_access(struct thr *t, unsigned kind, const volatile void *addr,
                                uint64_t len, struct __heddle_site *site)
{
    t->step++;
    point_reached(t, kind, addr, len, site);
}

static inline bool is_on_stack(const struct thr *t, uint64_t addr)
{
    return addr >= t->stack_low && addr < t->stack_high;
}

/* It changed something that others can see. */
static inline void stir(struct thr *t)
{
    t->last_write = t->step;
}

/* ---- late.c -------------------------------------------------------------------------- */
void sched_expire(struct thr *t);
/* How much a wait that knows of rt.late_ns since *from ends later than it was to. */
uint64_t late_put_off(uint64_t *from);
bool late_strike(void);
void late_tell(void);

/* ---- spin.c -------------------------------------------------------------------------- */
void spin_start(void);
bool spin_probe(const struct thr *t);
const struct thr *spin_on_shared(void);

/* ---- policies ------------------------------------------------------------------------ */
#define POLICY(name, ...) extern const struct policy policy_##name;
#include "heddle/policy.def"
#undef POLICY
struct thr *policy_random_waiter(struct obj *o);
struct thr *policy_expires(uint32_t times);
struct thr *policy_latest(void);
struct thr *policy_in_vain(void);
void policy_wakes_unasked(void);
bool can_expire(const struct thr *t);
/* temper.c: all as without --weak if that is off */
void temper_start(void);
bool temper_holds(const struct thr *t); /* not begun, and better not chosen now */
struct thr *temper_any(struct thr *t);  /* who can run; if nobody, t, or null */
uint32_t temper_weak(struct thr *t, uint32_t count, struct __heddle_site *site);
bool place_conflict(const struct place *a, const struct place *b);
const struct policy *policy_find(const char *name, size_t len);
uint64_t random_next(void);
uint64_t random_below(uint64_t n);

/* ---- shadow.c, sharing.c ------------------------------------------------------------- */
void shadow_start(struct thr *main);
void shadow_everything(bool all); /* private accesses too, from now on, or no longer */
void shadow_create(struct thr *parent, struct thr *child);
void shadow_thread_begins(struct thr *t);
void shadow_join(struct thr *t, const struct thr *peer);
void shadow_map(uint64_t addr, uint64_t len);
void shadow_alloc(uint64_t addr, uint64_t len);
void shadow_free(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
/* An access: is it to be recorded? */
bool shadow_touch(struct thr *t, uint64_t addr, uint64_t len, bool is_write,
                  struct __heddle_site *site);
bool shadow_is_shared(uint64_t addr, uint64_t len);

/* The usual accesses to memory that is not shared: all that was done there was done by this
 * segment or before all that is not known to be before it, or it is read once more by many.
 * False: shadow_touch has to look. */
static inline bool cell_claim(const struct thr *t, struct cell *c, bool is_write)
{
    struct cell now = *c;
    uint32_t own = t->segment, floor = t->floor;
    if (now.w >= floor && now.w != own)
        return false;
    if (now.r >= floor && now.r != own)
        return !is_write && now.r == (CELL_MANY | rt.segment_count) && now.w < floor &&
               rt.segment_count >= floor;
    if (is_write)
        c->w = own;
    c->r = own;
    return true;
}
int sharing_start(struct thr *main, bool finds_out);
void sharing_note(uint64_t addr, uint64_t len);
void sharing_block_begins(uint64_t addr, uint64_t len);
void sharing_block_ends(uint64_t addr, uint64_t len);
void sharing_thread_begins(const struct thr *t);

/* ---- weak.c, weak-sync.c ------------------------------------------------------------- *
 * Only if rt.weak.on. */
struct weak_store;
struct weak_done {
    struct weak_store *store; /* that the access made; or null */
    bool is_stale;            /* what it did is not what memory shows */
};
void weak_start(struct thr *main);
void weak_tell(void); /* at the end: what was left out */
void weak_before(struct thr *t, void *addr, uint32_t how, uint64_t expected,
                 struct __heddle_site *site);
struct weak_done weak_loaded(struct thr *t, uint64_t value, uint32_t order,
                             struct __heddle_site *site);
struct weak_done weak_stored(struct thr *t, uint64_t value, uint32_t order,
                             struct __heddle_site *site);
struct weak_done weak_changed(struct thr *t, uint64_t before, uint64_t after, uint32_t order,
                              struct __heddle_site *site);
void weak_is_event(const struct weak_done *d, uint64_t event);
void weak_fence(struct thr *t, uint32_t order);
void weak_fence_all(struct thr *t); /* as t has the kernel do it: in every thread */
void weak_created(struct thr *parent, struct thr *child);
void weak_joined(struct thr *t, struct thr *peer);
/* Plain accesses; what they write is no atomic object any more. */
void weak_plain(struct thr *t, uint64_t addr, uint64_t len, bool is_write,
                struct __heddle_site *site);
void weak_ends(uint64_t addr, uint64_t len); /* other objects may begin to live there */
void weak_freed(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
void weak_sync_start(void);
void weak_sync(struct thr *t, unsigned kind, uint64_t addr, unsigned flags);
void weak_thing(struct thr *t, unsigned kind); /* something of the system */
void weak_pin(struct thr *t);

/* ---- stretch.c ----------------------------------------------------------------------- */
void stretch_start(struct thr *main);
void stretch_resume(struct thr *t);
void stretch_pause(struct thr *t);
void stretch_look(struct thr *t);
uint64_t stretch_until(const struct thr *t);
const uint8_t *stretch_news(const struct thr *t);

/* ---- record.c ------------------------------------------------------------------------ */
void record_start(void);
void record_end(void);
void record_off(void);
/* e: -errno, or 0 */
void record_failed(const char *name, long e) __attribute__((noreturn));
uint32_t record_site_slow(struct __heddle_site *site);
void record_freed(void); /* from here on locks are not what they seem */
void record_event(struct thr *t, struct ev *e, struct __heddle_site *site);
void record_lock(struct thr *t, unsigned kind, uint64_t addr, unsigned flags, uint32_t number,
                 struct __heddle_site *site);
void record_thread(const struct thr *t, const char *name);
void record_cause(struct thr *t, uint64_t event, struct __heddle_site *site);
void record_external(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
/* 0, or -errno. */
int run_file_create(struct run_file *f, const char *name, const void *head, uint64_t head_bytes,
                    unsigned window, uint64_t window_bytes);
bool run_file_room(struct run_file *f, uint64_t bytes);
void record_choice(uint64_t step, thr_id next, uint16_t why);
void record_weak(const struct thr *t, uint32_t number, uint32_t count);
void record_weak_mode(void);
void record_flag(uint32_t flag); /* of the trace */
void record_arrival(uint64_t step, uint32_t connection);
bool replay_arrives(const struct thr *t, uint32_t *connection);
void record_forget_texts(void);
void record_limits(void); /* is there more than was asked for? */

static inline uint32_t record_site(struct __heddle_site *site)
{
    return LIKELY(site && site->id) ? site->id - 1 : record_site_slow(site);
}

/* Number that the next event will have. */
static inline uint64_t record_next(void)
{
    return rt.recording ? rt.trace.event_count : NO_EVENT;
}

static inline void record_sync(struct thr *t, unsigned kind, const volatile void *addr,
                               unsigned flags, uint64_t number, struct __heddle_site *site)
{
    if (UNLIKELY(rt.weak.on))
        weak_sync(t, kind, (uint64_t)(uintptr_t)addr, flags);
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = (uint8_t)kind,
                                  .addr = (uint64_t)(uintptr_t)addr,
                                  .flags = (uint8_t)flags,
                                  .number = number,
                                  .ref = NO_EVENT},
                     site);
}

/* REQUEST, ACQUIRE and RELEASE. */
static inline void record_held(struct thr *t, unsigned kind, const volatile void *addr,
                               unsigned flags, uint32_t number, struct __heddle_site *site)
{
    if (UNLIKELY(rt.weak.on))
        weak_sync(t, kind, (uint64_t)(uintptr_t)addr, flags);
    if (LIKELY(rt.recording))
        record_lock(t, kind, (uint64_t)(uintptr_t)addr, flags, number, site);
}

static inline void record_peer(struct thr *t, unsigned kind, thr_id peer,
                               struct __heddle_site *site)
{
    if (rt.recording)
        record_event(t, &(struct ev){.kind = (uint8_t)kind, .peer = peer}, site);
}

static inline void record_class(struct thr *t, unsigned kind, const volatile void *addr,
                                unsigned class, struct __heddle_site *site)
{
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = (uint8_t)kind,
                                  .addr = (uint64_t)(uintptr_t)addr,
                                  .word = (uint8_t)class},
                     site);
}

/* On an address. */
static inline void record_mark(struct thr *t, unsigned mark, const volatile void *addr,
                               struct __heddle_site *site)
{
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_MARK,
                                  .word = (uint8_t)mark,
                                  .addr = (uint64_t)(uintptr_t)addr,
                                  .len = 1},
                     site);
}

/* ---- input.c: the log of what the world gave ------------------------------------------ */

/* In which of the mapped files, and where; how large that is now. */
struct file_place {
    uint32_t file; /* NO_ID: in none of them */
    uint32_t unused;
    int64_t at;
    uint64_t size;
};

/* One outside call, on its way. */
struct epoll_event;
struct call {
    struct thr *thr;
    const char *name;
    struct __heddle_site *site;
    int64_t result;
    int error;      /* errno, if it failed */
    int saved;      /* errno before */
    int fd;         /* the descriptor it is about; -1: none */
    bool live;      /* to be made; otherwise the log has answered */
    bool waited;    /* for its descriptor */
    bool is_told;   /* what it depends on is told apart (thing.c) */
    bool is_inside; /* about a connection of the target with itself */
    bool moves;     /* bytes in their order, each of them once, and nothing beside */
    bool peeks;     /* what it reads stays there */
    bool is_within; /* what it fills is libc's: who called libc will tell what became of it */
    const struct iovec *said; /* the bytes that it wrote; NULL: not known */
    int told;                 /* by a getsockopt: how a connect ended */
    socklen_t to_len;
    const struct sockaddr *to; /* where it sends to, if it says so */
    uint64_t asked;            /* bytes that it would like to read or write */
    uint32_t ordinal;
    uint32_t record;         /* number of the one that has answered */
    uint64_t kept;           /* room for what call_keeps is to keep */
    struct file_place place; /* the same */
    const uint8_t *at, *end; /* what is left of the logged answer */
};

void input_start(void);
void input_off(void);
int input_high(int fd);
enum { INPUT_CHANGES_MAX = 200 };
void input_changed(const uint64_t *addr, const struct iovec *bytes, uint32_t count);
void input_ready(struct thr *t);
void input_woken(struct thr *t, bool is_at_point);
struct thr *input_next_ready(const struct thr *by, uint64_t step);
bool input_awaits_strike(const struct thr *t);
uint64_t input_ready_step(const struct thr *t);
void input_signal(struct thr *t, int signal, enum signal_where where, const siginfo_t *info);
void input_note(struct thr *t, const char *name);
bool input_has(const struct thr *t, const char *name);
int input_next_signal(const struct thr *t, struct signal_note *out);
void input_take_signal(const struct thr *t);
void input_limit(struct thr *t, bool idle);
void input_stuck(struct thr *t);
bool input_is_stuck(const struct thr *t);
bool input_limit_idle(const struct thr *t);
uint64_t input_next_limit(const struct thr *t);
struct call call_begin(struct thr *t, const char *name);
struct call call_inside(struct thr *t, const char *name);
bool call_live(struct call *c);
void call_fills(struct call *c, void *p, int64_t len);  /* memory of the target */
void call_keeps(struct call *c, void *p, uint64_t len); /* something we want to know */
uint32_t call_next_bytes(const struct call *c);
int64_t call_end(struct call *c);
void memory_read(struct thr *t, const void *addr, uint64_t len, struct __heddle_site *site);
void memory_filled(struct thr *t, const void *addr, uint64_t len, struct __heddle_site *site);
void memory_touched(struct thr *t, unsigned kind, const void *addr, uint64_t len,
                    struct __heddle_site *site);
void call_tells(const struct call *c, const void *p, uint64_t len);
bool io_begin(struct call *c, int fd, short events); /* hook-io.c: waits, then as call_live */
bool io_begin_until(struct call *c, int fd, short events, uint64_t deadline);
void io_show(const struct call *c, int fd, const struct iovec *v, int count);

#define CALL_MADE(c, made) ((c).result = (int64_t)(made), (c).error = errno)

/* ---- apart.c -------------------------------------------------------------------------- */
/* How the world of the run is not the one outside. */
enum {
    APART_OVERLAY = 1, /* overlays instead of file systems, and a network of its own */
    APART_SPLIT = 2,   /* more of them than there are outside */
    APART_NETWORK = 4, /* but that is the one outside */
    APART_COPY = 8,    /* only its directory is its own */
};
void apart_look(const struct call *c); /* a call that was made */
struct sockaddr;
struct sockaddr_un;
long fd_path(int fd, char *out, long cap); /* as the system knows it; its length, or an error */
int apart_bind(int fd, const struct sockaddr *a, socklen_t len);
/* Where to look for a path; out: room for it. */
const char *apart_into(const char *path, char *out);
void apart_back(char *path);
void apart_doubt_elsewhere(const struct call *c, int at, const char *path);
const struct sockaddr *apart_outside(const struct sockaddr *a, socklen_t *len,
                                     struct sockaddr_un *out, int *fd);
const struct sockaddr *apart_address(const struct sockaddr *a, socklen_t *len,
                                     struct sockaddr_un *out);
/* Before other programs are started: what they are told. */
void apart_started(const char *text);
void apart_opened(int64_t fd, const char *name, int flags);
int apart_mapped(int fd, int flags);
void apart_bus(void);              /* a mapped file could not be read or written */
void apart_made(const char *path); /* with a name that all runs share */
void apart_makes_shared(const char *name, int flags); /* before shm_open */
void apart_leave(void);                               /* the run ends */

static inline const char *apart_path(const char *path, char *out)
{
    return UNLIKELY(rt.set.apart & APART_COPY) ? apart_into(path, out) : path;
}

/* A call that changes this name was made. */
static inline void apart_changed(const struct call *c, int at, const char *path)
{
    if (UNLIKELY(rt.set.apart & APART_COPY))
        apart_doubt_elsewhere(c, at, path);
}

/* How a hook begins: `t` calls, `c` is the call; nobody of ours calls the function itself. */
#define CALL_BEGUN(name, arguments) \
    struct thr *t = self;           \
    if (!t)                         \
        return real.name arguments; \
    struct call c = call_begin(t, #name)

/* A hook of a call that does not wait: made or answered, then `after`. */
#define CALL(type, name, parameters, arguments, after) \
    CALL_BEHIND(type, name, parameters, arguments, , after)

/* `first` is done before it is made. */
#define CALL_BEHIND(type, name, parameters, arguments, first, after) \
    EXPORT type name parameters                                      \
    {                                                                \
        CALL_BEGUN(name, arguments);                                 \
        if (call_live(&c)) {                                         \
            first;                                                   \
            CALL_MADE(c, real.name arguments);                       \
        }                                                            \
        after;                                                       \
        return (type)call_end(&c);                                   \
    }

/* The same for one that asks about a name ... */
#define ASKS_NAME(type, name, parameters, arguments, at, path, after) \
    EXPORT type name parameters                                       \
    {                                                                 \
        CALL_BEGUN(name, arguments);                                  \
        struct spot p = {0};                                          \
        char whole[PATH_BYTES];                                       \
        path = apart_path(path, whole);                               \
        if (call_live(&c)) {                                          \
            p = spot_before(at, path);                                \
            CALL_MADE(c, real.name arguments);                        \
        }                                                             \
        call_keeps(&c, &p, sizeof p);                                 \
        spot_asked(&c, &p);                                           \
        after;                                                        \
        return (type)call_end(&c);                                    \
    }

/* ... that makes, changes or removes one if it succeeds ... */
#define CHANGES_NAME(type, name, parameters, arguments, at, path) \
    EXPORT type name parameters                                   \
    {                                                             \
        CALL_BEGUN(name, arguments);                              \
        struct spot p = {0};                                      \
        char whole[PATH_BYTES];                                   \
        path = apart_path(path, whole);                           \
        if (call_live(&c)) {                                      \
            p = spot_before(at, path);                            \
            before_change(at, path);                              \
            CALL_MADE(c, real.name arguments);                    \
            spot_after(&p, at, path);                             \
            apart_changed(&c, at, path);                          \
        }                                                         \
        call_keeps(&c, &p, sizeof p);                             \
        spot_told(&c, &p);                                        \
        return (type)call_end(&c);                                \
    }

/* ... and that makes another one of it. */
#define RENAMES(type, name, parameters, arguments, at, path, to_at, to_path) \
    EXPORT type name parameters                                              \
    {                                                                        \
        CALL_BEGUN(name, arguments);                                         \
        struct spot p[2] = {0};                                              \
        char whole[PATH_BYTES], to_whole[PATH_BYTES];                        \
        path = apart_path(path, whole);                                      \
        to_path = apart_path(to_path, to_whole);                             \
        if (call_live(&c)) {                                                 \
            p[0] = spot_before(at, path);                                    \
            p[1] = spot_before(to_at, to_path);                              \
            before_rename(at, path, to_at, to_path);                         \
            CALL_MADE(c, real.name arguments);                               \
            spot_after(&p[1], to_at, to_path);                               \
            apart_changed(&c, at, path);                                     \
            apart_changed(&c, to_at, to_path);                               \
        }                                                                    \
        call_keeps(&c, p, sizeof p);                                         \
        spot_told(&c, &p[0]);                                                \
        spot_told(&c, &p[1]);                                                \
        return (type)call_end(&c);                                           \
    }

/* The same function under another name. */
#define ALSO(other, name) __asm__(".weak " #other "\n.set " #other ", " #name)

/* ---- hook-alloc.c --------------------------------------------------------------------- */
enum { ASIDE_BYTES = 64 << 20 };
void alloc_aside(void); /* until ... */
void alloc_aside_end(void);

/* ---- past.c ------------------------------------------------------------------------- *
 * To be called before a call that may change what these names lead to. */
bool past_path(int at, const char *path, char *out);
void before_change(int at, const char *path);
void before_open(int at, const char *path, int flags);
void before_rename(int at, const char *from, int to_at, const char *to);
void before_shared(const char *prefix, const char *name);

/* ---- hook-stdio.c --------------------------------------------------------------------- */
void stream_start(void);
FILE *stream_open(int fd, const char *mode);

/* ---- hook-chance.c -------------------------------------------------------------------- */
void chance_start(void);
void chance_born(struct thr *t);
uint64_t chance_next(struct thr *t);
void chance_fill(struct thr *t, void *out, size_t len);
ssize_t chance_read(struct thr *t, int fd, void *out, size_t len);

/* ---- descriptor.c --------------------------------------------------------------------- */
void descriptor_start(void);
bool descriptor_is_own(int fd);
bool descriptor_is_channel(int fd);
bool descriptor_is_random(int fd);
void descriptor_draws(int64_t fd);
bool descriptor_is_inside(int fd);
bool descriptor_is_made(int fd);
bool descriptor_any_travels(void);
void descriptor_joins(int set, int fd);
void descriptor_option(int fd, int level, int name, const void *value, uint32_t len);
uint64_t descriptor_patience_ns(int fd, short events); /* NEVER: for as long as it takes */

void descriptor_carries(int64_t fd);

/* ---- mapped.c -------------------------------------------------------------------------- */
struct map_wish {
    void *where;
    size_t len;
    int flags;
    int64_t at;
};
bool mapped_is_own(int fd);
void map_begins(struct thr *t, const void *p, uint64_t len);
void map_taken(struct thr *t, uint64_t at, uint64_t end); /* by whom we are not told */
void *mapped_map(struct call *c, void *made, int fd, const struct map_wish *w);
void mapped_written(struct call *c, int fd, const struct iovec *v, int count, int64_t at);
void mapped_resized(struct call *c, int fd, const char *path);
void mapped_emptied(const struct call *c, int how, int64_t at, int64_t len);

/* ---- peer-record.c, peer-play.c --------------------------------------------------------- */
void peer_start(void);
void peer_before(void);
void peer_call(const struct call *c);
void peer_copied(int from, int64_t fd);
void peer_closed(int fd);
void peer_signalled(int signal);
bool peer_hears(const struct call *c);
bool peer_says(const struct call *c);
struct peer *peer_of(int fd);
uint8_t peer_listener(int fd);
void peer_listens(int fd);
void peer_connected(int fd);
void peer_look(void);
bool peer_idle(struct thr *t, bool time_goes_on);
void __attribute__((noreturn)) peer_end_run(struct thr *t);
void peer_bring(struct thr *t, const struct thr *next);
void peer_meets(int listener, int fd);
struct peer *peer_called(int fd, const struct sockaddr *a, socklen_t len,
                         const struct sockaddr_storage *own, socklen_t own_len);
void peer_refused(const struct peer *p, int error);
uint32_t peer_find_called(const struct sockaddr *a, socklen_t len);
bool peer_shows(int fd, short events);
void peer_met(uint32_t number, int fd);
void peer_mark(struct peer *p);
bool peer_is_own(int fd);
int peer_end(uint32_t number);
void peer_note_lookup(const void *question, uint32_t len, const void *answer, uint64_t bytes);
const uint8_t *peer_lookup(const void *question, uint32_t len, uint64_t *bytes);

/* ---- hook-cxx.c ------------------------------------------------------------------------ */
void exception_made(const void *block, const void *from);
bool exception_ends(const void *block);

/* ---- peer-reach.c ---------------------------------------------------------------------- */
void reach_start(void);
const struct sockaddr *reach_way(int fd, const struct sockaddr *a, socklen_t *len,
                                 struct sockaddr_storage *out, int *error);
void reach_call(const struct call *c);
void reach_name(int fd, bool of_peer, struct sockaddr *a, socklen_t *len, socklen_t room);

/* ---- datagram.c ------------------------------------------------------------------------- */
struct datagram_socket *datagram_socket(int fd);
void datagram_call(const struct call *c);
void datagram_next(int fd);
uint32_t datagram_peer(const struct sockaddr *a, socklen_t len);
bool datagram_is_inside(const struct sockaddr *a, socklen_t len);
uint32_t datagram_waiting(int fd);
bool datagram_target(const struct call *c, struct sockaddr_storage *out, socklen_t *len);
void datagram_copied(int from, int64_t fd);
void datagram_closed(int fd);
const struct sockaddr *datagram_way(int fd, const struct sockaddr *a, socklen_t *len,
                                    struct sockaddr_storage *out);
void datagram_name(int fd, struct sockaddr *a, socklen_t *len, socklen_t room);

/* ---- live-client.c ---------------------------------------------------------------------- */
void client_start(void);
void client_call(const struct call *c);

/* ---- hook-fifo.c ---------------------------------------------------------------------- */
bool fifo_open(struct call *c, bool live, int at, const char *path, int flags, mode_t mode);
void fifo_closed(int fd);

/* ---- thing.c ------------------------------------------------------------------------- */
thing_id thing_of(enum thing_kind kind, uint64_t a, uint64_t b);
thing_id thing_known(enum thing_kind kind, uint64_t a, uint64_t b);
thing_id thing_new(enum thing_kind kind);
uint64_t thing_node(uint64_t device, uint64_t node);
uint64_t thing_change(const struct call *c, thing_id id);
uint64_t thing_update(const struct call *c, thing_id id);
void thing_look(const struct call *c, thing_id id);
void thing_sum(const struct call *c, thing_id id);
void thing_hear(const struct call *c, thing_id id, uint64_t event);
void outside_told(const struct call *c);
void outside_heard(const struct call *c);
void semaphore_told(const struct call *c);
struct spot spot_before(int at, const char *path);
void spot_after(struct spot *p, int at, const char *path);
void spot_opened(struct spot *p, int64_t fd);
void spot_asked(const struct call *c, const struct spot *p);
void spot_changed(const struct call *c, const struct spot *p);
void spot_told(const struct call *c, const struct spot *p);
void work_moved(const struct call *c);
void work_asked(const struct call *c);
void spot_listed(const struct call *c);
void file_asked(const struct call *c, uint64_t node);
void file_mapped(uint64_t node);
struct spot spot_shared(const char *name);
void file_changed(const struct call *c, uint64_t node);

/* ---- file-lock.c --------------------------------------------------------------------- */
void file_lock_flock(const struct call *c, int fd, int how);
void file_lock_fcntl(const struct call *c, int fd, int command, const void *arg);
bool file_lock_is_ours(const struct thr *t);
void file_lock_closed(const struct call *c, int fd);

/* ---- channel.c ----------------------------------------------------------------------- */
void channel_file(int fd, const struct spot *p);
uint64_t channel_node(int fd); /* of the file that it stands for; 0: not known */
uint32_t channel_offset(int fd);
void channel_pipe(const int ends[2]);
void channel_listens(const struct call *c, int fd);
void channel_settings(const struct call *c, int fd, bool is_set);
uint32_t channel_connects(const struct call *c, int fd, int listener, uint16_t port);
void channel_accepts(const struct call *c, uint32_t number);
bool connection_may_lead_out(int fd, const struct sockaddr *a, uint32_t len);
void connection_made(struct call *c, const struct sockaddr *a, uint32_t len);
void connection_taken(struct call *c, int listener);
void channel_sockets(const int ends[2], int type);
void channel_event(int64_t fd, int flags);
void channel_signals(int64_t fd);
void channel_watch(const struct call *c, int ep, int op, int fd, struct watch *w);
void channel_polled(const struct call *c, const struct pollfd *fds, uint64_t count);
void channel_epolled(const struct call *c, int ep, const struct epoll_event *events, int room);
void channel_copy(int from, int to);
void channel_open(const struct call *c, int fd, bool is_chosen);
void channel_close(const struct call *c, int fd);
void channel_shared(void);
bool channel_accounts_for(const struct call *c);
void channel_call(const struct call *c);
void channel_pin(const struct call *c);
bool descriptor_is_shown(int fd);
void descriptor_new(const struct call *c, int64_t fd);
void descriptor_copy(const struct call *c, int from, int64_t fd);
void descriptor_gone(const struct call *c, int fd);

/* ---- globals.c ----------------------------------------------------------------------- */
void globals_start(void);
/* Is this code libc's or the dynamic linker's, which may hold locks that are not modelled? */
bool globals_is_libc(const void *code);
void globals_after_dlopen(void);
void globals_after_dlclose(void);
const struct __heddle_global *globals_find(uint64_t addr); /* of the program itself */

/* ---- outcome.c ----------------------------------------------------------------------- */
struct text {
    char *at;
    uint32_t len, cap;
};
void text_put(struct text *t, const char *s);
void text_put_len(struct text *t, const char *s, size_t len);
void text_number(struct text *t, uint64_t n);
void text_hex(struct text *t, uint64_t n);
void text_site(struct text *t, const struct __heddle_site *site);
void text_address(struct text *t, uint64_t addr);
void text_thread(struct text *t, const struct thr *thr);

void outcome_start(void);
void outcome_exit(int code);
void outcome_stuck(void);
void outcome_all_stuck(void) __attribute__((noreturn));
void outcome_left(void) __attribute__((noreturn));
void __attribute__((noreturn)) outcome_given_up(void);
void outcome_hang(void);
void outcome_late(void) __attribute__((noreturn));
void __heddle_stop(void);
uint64_t __heddle_event(void);
uint64_t __heddle_tid(uint64_t thread);
uint64_t __heddle_stop_at(uint64_t event);
void outcome_watch(void); /* is this the event that a debugger, or the end, waits for? */
void outcome_livelock(void);
void outcome_assert(const char *text);
void outcome_diverged(const char *text) __attribute__((noreturn));
void outcome_unsupported(const char *name) __attribute__((noreturn));
/* The detail may be NULL. Of a reason that forbids to judge the run, the first is enough. */
void outcome_doubt(enum doubt doubt, const char *detail);
void outcome_sanitizer(const char *summary); /* once the target exits */
void outcome_fatal_signals(void);
void outcome_signal_stack(const struct thr *t);
/* fault, context: NULL if the signal was sent */
void outcome_crash(int signal, const siginfo_t *fault, const void *context);

/* ---- hook-refuse.c ------------------------------------------------------------------- */
bool refuse_syscall(long number); /* true: the caller is told that there is none */
void refuse_futex(long operation) __attribute__((noreturn));
void refuse_thread(void *(*start)(void *));

/* ---- hook-futex.c ------------------------------------------------------------------- */
long futex_call(struct thr *t, const long *arguments); /* 0 or more, or -errno */

/* What belongs to a record in a run's file follows it. */
void log_put(int fd, struct log_record *r, const char *data, uint32_t len);

/* ---- family.c ------------------------------------------------------------------------ */
/* Makes a directory for this process in that of the run. -1: it cannot be. */
int family_join(char **argv, char **envp);

/* ---- turn.c: which process of a family runs ------------------------------------------- */
bool turn_yield(bool has_world);
bool turn_is_stuck(void);
bool turn_has(int pid);
bool turn_is_over(void);
void turn_strangers(void);
bool turn_is_left(uint64_t waited_ns);
void turn_used(void);
void turn_pause(void);
void turn_out(void);
void turn_in(void);
void turn_leave(bool ends);
void turn_stops(void);
void turn_tell(int signal);
uint32_t turn_place(void);
uint32_t turn_records(void);
void turn_begin(uint32_t place);
void turn_await_child(uint32_t place, int pid);

/* ---- company.c ------------------------------------------------------------------------ */
bool company_may_act(void);
bool company_is_stopped(int pid);

/* ---- shared-memory.c --------------------------------------------------------------------- */

bool shared_is_mapped(uint64_t addr);
void shared_mapped(const void *p, uint64_t len);
void shared_keep(void);
void shared_look(void);
void shared_put(uint64_t at, const void *bytes, uint64_t len);

/* ---- forked.c: forked children ----------------------------------------------------------- */
void forked_begin(void);
int64_t forked_make(struct thr *t);
void forked_stranger(const char *name);
void forked_replay(void);
bool child_awaited(const struct thr *t); /* hook-child.c: it waits for the end of a child */

/* ---- waits.c ------------------------------------------------------------------------- */
void waits_write(int fd); /* records of the outcome: every thread that could not go on */

/* ---- serve.c ------------------------------------------------------------------------- */
const char *serve(int fd);

/* ---- thread.c ------------------------------------------------------------------------ */
uint32_t *thread_tid_word(void); /* of the only thread there is; null: not found */
void thread_start_main(void);
void thread_reap(struct thr *t);
void thread_await_end(struct thr *t);
struct thr *thread_find(pthread_t handle);
void cancel_check(struct thr *t);
int thread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
                  void *arg, bool c11);

/* ---- hook-time.c --------------------------------------------------------------------- */
struct timespec;
/* When an absolute time of a clock comes, in virtual time; 0 if it is not a valid time. */
uint64_t time_deadline(int clock, const struct timespec *when);
bool time_is_span(const struct timespec *span);
uint64_t time_span_ns(const struct timespec *span);
uint64_t time_real_ns(void);

/* ---- shared.c ------------------------------------------------------------------------ */
bool shared_counts(const struct obj *o);
#define SHARED_WORD "another process, which has "
bool shared_await(struct thr *t, bool (*test)(struct thr *), const void *what, const char *word,
                  uint64_t deadline);
bool shared_awaited(const struct thr *t);
void shared_lock(struct obj *o, bool is_shared);
void shared_memory(void);
void shared_with_child(void);
void shared_ends_stuck(void);

/* ---- hook-process.c ------------------------------------------------------------------ */
void process_off(void);
void process_watch_exit(void);
void process_watch_quick_exit(void);
void process_lend(struct thr *t, bool on);

/* ---- hook-ids.c ---------------------------------------------------------------------- */
void process_pin(void);
void process_pin_again(void);

/* ---- hook-signal.c ------------------------------------------------------------------- */
void signal_early(void);
void signal_end_properly(int signal);
void signal_start(void);
void signal_off(const struct thr *t);
void signal_ends_wait(struct thr *t);
void signal_give_back(struct thr *t, uint64_t which);
void signal_deliver(struct thr *t, enum signal_where where);
void signal_unsafe(struct thr *t); /* it calls what is not async-signal-safe */
bool signal_wakes(void);
bool signal_awaited(const struct thr *t); /* it waits for one, and for nothing else */
void signal_due(struct thr *t);
void signal_prompt(void);
void signal_mask_real(const struct thr *t, bool on);
bool signal_fire(int signal, thr_id to, const siginfo_t *info, uint64_t by);

/* ---- signal-queue.c ------------------------------------------------------------------ */
bool signal_is_queued(int signal);
bool signal_queue_add(const struct queued *from);
bool signal_queue_take(bool (*may)(const struct queued *), struct queued *out);

/* ---- hook-signalfd.c ----------------------------------------------------------------- */
bool signalfd_takes(int signal, const siginfo_t *info);

/* ---- hook-timer.c --------------------------------------------------------------------- */
uint64_t timer_next(void);
uint64_t timer_first(uint64_t *late_from);
void timer_put_off(void);
bool timer_only_kills(void);
void timer_expire(uint64_t now);

/* ---- mutexes, for conditions and C11 --------------------------------------------------- */
int mutex_lock(struct thr *t, pthread_mutex_t *m, unsigned flags, uint64_t deadline);
/* Is the mutex to be left free when it is locked here? Then the thread pretends to hold it. */
bool guided_pretend(const struct thr *t, const void *mutex, const struct __heddle_site *site);
/* Does it? Not any more. */
bool guided_unpretend(const struct thr *t, const void *mutex);
/* It was refused, for what it was asked of is none: for a witness of that use it happened. */
void guided_attempt(struct thr *t, unsigned kind, const struct __heddle_site *site);
int mutex_unlock(struct thr *t, pthread_mutex_t *m, unsigned flags);
int mutex_trylock(struct thr *t, pthread_mutex_t *m);
void mutex_abandon(struct thr *t);
void mutex_abandon_all(void);
int cond_wait(struct thr *t, pthread_cond_t *c, pthread_mutex_t *m, unsigned flags,
              uint64_t deadline);
int once_call(struct thr *t, pthread_once_t *control, void (*routine)(void));
int join_thread(struct thr *t, pthread_t handle, void **result, unsigned flags,
                uint64_t deadline);

#endif
