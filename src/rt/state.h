/* SPDX-License-Identifier: Apache-2.0
 *
 * state: what the runtime knows: its limits, the records of threads, objects, calls and files,
 * and `rt`, which holds all of it. Behind what several files use stands what one file alone
 * does, under that file's name. */
#ifndef RT_STATE_H
#define RT_STATE_H

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

#endif
