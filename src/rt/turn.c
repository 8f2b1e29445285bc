/* SPDX-License-Identifier: Apache-2.0
 *
 * turn: a family of processes has one turn, as the threads of a process have one token: one
 * thread of one process runs. Who has the turn stands in a page that all of them share, made
 * before the first fork; a program that never forks has none. A process gives its turn away
 * when none of its threads can run, when it has run for long, and at its end; it then sleeps
 * until it gets it back.
 *
 * Nobody can look into what another process waits for. So one that waits for the world gets
 * the turn once after somebody has done something, to look; when all have looked, the one whose
 * time comes first goes on, or the one that asks waits really. Who dies without a word loses
 * the turn to the first that notices. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    WINDOW_TURN = 24,
    MEMBERS_MAX = 1024,
    ALIVE_MAX = 200, /* a family that is larger grows no more */
    CHECK_NS = 5000000,
    DEATH_MS = 500,
    STRANGERS_NS = 1000000000,
};

enum member_state {
    MEMBER_FREE,
    MEMBER_NEW,     /* is being made */
    MEMBER_READY,   /* could run, or does */
    MEMBER_WAITS,   /* all its threads do */
    MEMBER_OUTSIDE, /* in a call that blocks, or another program by now */
    MEMBER_LEAVING, /* about to end */
};

struct member {
    uint32_t state;
    int pid;
    uint32_t looked; /* at what others did, up to this number */
    bool has_world;  /* something may happen outside that it waits for */
    bool is_inside;  /* only the family can make that happen */
    uint64_t deadline;
};

struct family {
    uint32_t turn; /* futex word: whose it is */
    uint32_t count, recorded;
    uint32_t deeds;     /* counts up when somebody did something */
    bool has_strangers; /* other programs know what we know */
    bool has_stops;     /* some of us may have been stopped by others */
    bool is_stuck;      /* nobody can run any more */
    struct member at[MEMBERS_MAX];
};

static struct member *own(void)
{
    CHECK(rt.turn.member < rt.family->count && rt.family->count <= MEMBERS_MAX);
    return &rt.family->at[rt.turn.member];
}

static void wake(uint32_t *word)
{
    sys_call(SYS_futex, (long)word, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

static void sleep_on(uint32_t *word, uint32_t value)
{
    struct timespec span = {0, CHECK_NS};
    sys_call(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&span, 0, 0);
}

/* ---- the dead ------------------------------------------------------------------------ */

/* Has it ended, or does it within that time? */
static bool is_dead(int pid, int ms)
{
    long fd = sys_call(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);
    if (fd < 0)
        return fd == -ESRCH;
    struct pollfd p = {(int)fd, POLLIN, 0};
    struct timespec span = {ms / 1000, ms % 1000 * 1000000L};
    long n = sys_call(SYS_ppoll, (long)&p, 1, (long)&span, 0, 8, 0);
    sys_close((int)fd);
    if (n > 0) { /* if it is our child: not before the system has told us of it */
        siginfo_t info;
        sys_call(SYS_waitid, P_PID, pid, (long)&info, WEXITED | WNOWAIT | WNOHANG, 0, 0);
    }
    return n > 0;
}

/* One that got the signal does nothing more before it stops: it waits for its turn. */
static bool is_stopped(const struct member *m)
{
    return rt.family->has_stops && company_is_stopped(m->pid);
}

/* Whoever said that it would end has done so: what it printed last is printed, and its parent
 * finds it. */
static void bury(void)
{
    for (uint32_t i = 0; i < rt.family->count; i++) {
        struct member *m = &rt.family->at[i];
        if (m->state == MEMBER_LEAVING) {
            is_dead(m->pid, DEATH_MS);
            m->state = MEMBER_FREE;
        }
    }
}

/* ---- giving and getting --------------------------------------------------------------- */

static void give(uint32_t to)
{
    CHECK(to < rt.family->count && to != rt.turn.member);
    CHECK(rt.family->turn == rt.turn.member || rt.late);
    shared_keep();
    __atomic_store_n(&rt.family->turn, to, __ATOMIC_SEQ_CST);
    wake(&rt.family->turn);
}

/* Until it is ours, or the time limit strikes. */
static void await(void)
{
    struct family *f = rt.family;
    for (;;) {
        uint32_t holder = __atomic_load_n(&f->turn, __ATOMIC_SEQ_CST);
        if (holder == rt.turn.member || rt.late)
            break;
        CHECK(holder < f->count);
        sleep_on(&f->turn, holder);
        struct member *m = &f->at[holder];
        bool is_gone = is_dead(m->pid, 0);
        if (__atomic_load_n(&f->turn, __ATOMIC_SEQ_CST) == holder &&
            (is_gone || is_stopped(m)) &&
            __atomic_compare_exchange_n(&f->turn, &holder, rt.turn.member, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            m->state = is_gone ? MEMBER_FREE : m->state;
            f->deeds++;
        }
    }
    own()->state = MEMBER_READY;
    bury();
    shared_look();
}

/* The next one behind us for which that holds; ourselves if there is none. */
static uint32_t find(bool (*is)(const struct member *))
{
    struct family *f = rt.family;
    for (uint32_t i = 1; i < f->count; i++) {
        uint32_t n = (rt.turn.member + i) % f->count;
        struct member *m = &f->at[n];
        if (!is(m) || is_stopped(m))
            continue;
        if (!is_dead(m->pid, 0))
            return n;
        m->state = MEMBER_FREE;
        f->deeds++;
    }
    return rt.turn.member;
}

static bool can_run(const struct member *m)
{
    return m->state == MEMBER_READY;
}

static bool would_look(const struct member *m)
{
    return m->state == MEMBER_WAITS && m->has_world && m->looked != rt.family->deeds;
}

static uint64_t first_deadline(void)
{
    uint64_t first = NEVER;
    for (uint32_t i = 0; i < rt.family->count; i++) {
        const struct member *m = &rt.family->at[i];
        if (m->state == MEMBER_WAITS && m->deadline < first)
            first = m->deadline;
    }
    return first;
}

static bool is_first(const struct member *m)
{
    return m->state == MEMBER_WAITS && m->deadline != NEVER && m->deadline == first_deadline();
}

static bool waits(const struct member *m)
{
    return m->state == MEMBER_WAITS;
}

/* Is it one of the family that is asked what it waits for? */
bool turn_has(int pid)
{
    for (uint32_t i = 0; rt.family && i < rt.family->count; i++) {
        const struct member *m = &rt.family->at[i];
        if (m->pid == pid && m->state != MEMBER_FREE && m->state != MEMBER_OUTSIDE)
            return true;
    }
    return false;
}

/* ---- deadlocks ----------------------------------------------------------------------- */

/* A pipe or a pair of sockets of the target's own. */
static bool is_own_channel(int fd)
{
    return fd >= 0 && fd < CHANNEL_FDS_MAX &&
           (rt.channel_ends[fd].in || rt.channel_ends[fd].out);
}

static bool waits_inside(const struct thr *t)
{
    if (signal_awaited(t))
        return true;
    if (t->wait_test)
        return child_awaited(t) || shared_awaited(t);
    for (uint32_t i = 0; i < t->wait_fd_count; i++)
        if (!is_own_channel(t->wait_fds[i].fd))
            return false;
    return true;
}

/* Do all our threads wait for each other, for children and for what comes through pipes? */
static bool is_inside(void)
{
    bool is_open = rt.family->has_strangers || rt.has_handlers;
    bool can_run = rt.ready_count || (rt.running && rt.running->state == THR_RUNNING);
    if (can_run || rt.outside_count || rt.next_deadline != NEVER || rt.play)
        return false;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        const struct thr *t = &rt.threads[i];
        if (t->state != THR_BLOCKED || t->wait_how != WAIT_FD)
            continue;
        if (!waits_inside(t))
            return false;
        is_open |= signal_awaited(t);
    }
    return !is_open || !company_may_act();
}

void turn_strangers(void)
{
    if (rt.family)
        rt.family->has_strangers = true;
    rt.turn.has_strangers = true;
}

/* None of our threads can run. Nor anybody else's, and nothing from outside can change that? */
bool turn_is_stuck(void)
{
    struct family *f = rt.family;
    if (!is_inside())
        return false;
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *m = &f->at[i];
        if (m->state == MEMBER_OUTSIDE && is_dead(m->pid, 0))
            m->state = MEMBER_FREE;
        if (i == rt.turn.member || m->state == MEMBER_FREE)
            continue;
        if (m->state != MEMBER_WAITS || !m->is_inside || m->looked != f->deeds ||
            is_dead(m->pid, 0))
            return false;
    }
    f->is_stuck = true;
    return true;
}

/* The program has ended, and we wait for a world in which nobody is left who knows us? Those
 * that were started may need some time. */
bool turn_is_left(uint64_t waited_ns)
{
    const struct member *first = &rt.family->at[0];
    if (rt.turn.member == 0 || (first->state != MEMBER_FREE && !is_dead(first->pid, 0)))
        return false;
    return !rt.family->has_strangers || waited_ns > STRANGERS_NS;
}

/* Has somebody found that to be so? */
bool turn_is_over(void)
{
    return rt.family->is_stuck;
}

/* Some of ours can run: that is something for others to look at. */
void turn_used(void)
{
    rt.family->deeds++;
}

/* None of our threads can run. False: nor can anybody else, and it is up to us to wait for the
 * world or for time. True: others have done something. */
bool turn_yield(bool has_world)
{
    struct member *m = own();
    if (sched_steps() != rt.turn.seen) /* it has not only looked */
        turn_used();
    rt.turn.seen = sched_steps();
    m->deadline = rt.next_deadline;
    m->has_world = has_world;
    m->is_inside = is_inside();
    m->looked = rt.family->deeds;
    m->state = MEMBER_WAITS;
    uint32_t next = find(can_run);
    if (next == rt.turn.member)
        next = find(would_look);
    if (next == rt.turn.member && !is_first(m))
        next = find(is_first);
    m->state = MEMBER_READY;
    if (next == rt.turn.member)
        return false;
    m->state = MEMBER_WAITS;
    give(next);
    await();
    return true;
}

/* Others have their turn, if they could use it, and then we again. */
void turn_pause(void)
{
    turn_used();
    rt.turn_steps = sched_steps() + rt.set.fair;
    uint32_t next = find(can_run);
    if (next == rt.turn.member)
        next = find(waits);
    if (next == rt.turn.member)
        return;
    give(next);
    await();
}

/* Somebody else's from here on. */
static void abandon(enum member_state state)
{
    uint32_t next = find(can_run);
    own()->state = state;
    turn_used();
    if (next == rt.turn.member)
        next = find(waits);
    if (next != rt.turn.member)
        give(next);
}

/* Around a call that really blocks. */
void turn_out(void)
{
    abandon(MEMBER_OUTSIDE);
}

void turn_in(void)
{
    own()->state = MEMBER_READY;
    await();
}

void turn_stops(void)
{
    if (rt.family)
        rt.family->has_stops = true;
}

/* This process ends, or becomes another program. */
void turn_leave(bool ends)
{
    if (!rt.family || rt.family->turn != rt.turn.member)
        return;
    abandon(ends ? MEMBER_LEAVING : MEMBER_OUTSIDE);
}

/* All the others too. */
void turn_tell(int signal)
{
    for (uint32_t i = 1; rt.family && rt.turn.member == 0 && i < rt.family->count; i++)
        if (rt.family->at[i].state != MEMBER_FREE)
            sys_call(SYS_kill, rt.family->at[i].pid, signal, 0, 0, 0, 0);
}

/* ---- being made ---------------------------------------------------------------------- */

/* Somebody outside can see whether one of us is left: who opens it to write finds a reader. */
static void open_sign(void)
{
    char path[PATH_BYTES + 32];
    struct text text = {path, 0, sizeof path};
    if (!rt.set.dir[0])
        return;
    text_put(&text, rt.set.dir);
    text_put(&text, "/alive");
    sys_call(SYS_mknod, (long)path, S_IFIFO | 0666, 0, 0, 0, 0);
    int fd = sys_open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0);
    rt.alive_fd = fd < 0 ? 0 : input_high(fd);
}

/* False: there is no room. */
static bool open_page(void)
{
    if (rt.family)
        return true;
    rt.family = sys_map(memory_window(WINDOW_TURN), sizeof *rt.family, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (!rt.family)
        return false;
    open_sign();
    rt.family->count = 1;
    rt.family->has_strangers = rt.turn.has_strangers;
    rt.family->at[0] = (struct member){.state = MEMBER_READY, .pid = rt.pid};
    rt.turn_steps = sched_steps() + rt.set.fair;
    return true;
}

/* A place for a child; NO_ID if there are too many. */
uint32_t turn_place(void)
{
    if (!open_page())
        return NO_ID;
    struct family *f = rt.family;
    uint32_t place = f->count, alive = 0;
    for (uint32_t i = f->count; i-- > 0;) {
        struct member *m = &f->at[i];
        if (m->state == MEMBER_OUTSIDE && is_dead(m->pid, 0))
            m->state = MEMBER_FREE;
        if (m->state == MEMBER_FREE && i > 0) /* the first one's tells that it has ended */
            place = i;
        else
            alive++;
    }
    CHECK(alive > 0 && f->at[0].pid);
    if (alive >= ALIVE_MAX || place >= MEMBERS_MAX)
        return NO_ID;
    CHECK(place > 0 && f->at[place].state == MEMBER_FREE);
    f->at[place] = (struct member){.state = MEMBER_NEW};
    f->count += place == f->count;
    return place;
}

/* How many of the family have been recorded, with this one. */
uint32_t turn_records(void)
{
    return ++rt.family->recorded;
}

/* In the child, once it is ready to go on. */
void turn_begin(uint32_t place)
{
    CHECK(place < rt.family->count && rt.family->at[place].state == MEMBER_NEW);
    rt.turn.member = place;
    own()->pid = rt.pid;
    __atomic_store_n(&own()->state, MEMBER_READY, __ATOMIC_SEQ_CST);
    wake(&own()->state);
    await();
}

/* In the parent: until the child is, or is dead. pid < 0: there is none. */
void turn_await_child(uint32_t place, int pid)
{
    struct member *m = &rt.family->at[place];
    while (pid > 0 && __atomic_load_n(&m->state, __ATOMIC_SEQ_CST) == MEMBER_NEW &&
           !is_dead(pid, 0))
        sleep_on(&m->state, MEMBER_NEW);
    if (m->state == MEMBER_NEW)
        m->state = MEMBER_FREE;
}
