/* SPDX-License-Identifier: Apache-2.0
 *
 * input: what the world gave, and when. Every outside call of the target is one record of the
 * run's `input`: what it returned and what it filled in, named by its thread and by how many
 * calls of that name the thread made before. In an exact replay, and in no other run, the same
 * call finds its record and is not made: whoever goes another way asks the world. Three other
 * records say what no call returns: that a waiting thread became ready at a step of the running
 * one, that a signal of the system came at a step, that the time limit struck.
 *
 * A record is appended with one system call, or very few: whoever is killed leaves whole
 * records, and at most a part of the last one. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum {
    KEYS_MASK = (1 << 18) - 1,
    HIGH_FD = 900, /* our descriptors are out of the target's way, as far as the limit allows */
    HIGH_FD_LESS = 200,
    VECTOR_MAX = 1024, /* that the system takes at once */
};

/* ---- names --------------------------------------------------------------------------- */

static uint64_t hash_name(uint64_t thr, const char *name)
{
    uint64_t h = 0xcbf29ce484222325ULL ^ (thr + 1) * 0x9e3779b97f4a7c15ULL;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 0x100000001b3ULL;
    h ^= h >> 29;
    return h ? h : 1;
}

static struct input_key *key_of(uint64_t thr, const char *name)
{
    uint64_t h = hash_name(thr, name), i = h & KEYS_MASK;
    while (rt.input.keys[i].hash && rt.input.keys[i].hash != h)
        i = (i + 1) & KEYS_MASK;
    struct input_key *k = &rt.input.keys[i];
    if (!k->hash) {
        if (++rt.input.key_count > KEYS_MASK / 2)
            outcome_unsupported("more than 131072 kinds of outside calls");
        *k = (struct input_key){.hash = h, .next = NO_ID, .last = NO_ID};
    }
    return k;
}

/* ---- writing ------------------------------------------------------------------------- */

int input_high(int fd)
{
    if (fd < 0)
        return fd;
    long high = sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD, 0, 0, 0);
    if (high < 0)
        high = sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD_LESS, 0, 0, 0);
    if (high < 0)
        return fd;
    sys_close(fd);
    return (int)high;
}

static void __attribute__((noreturn)) complain(const char *what, const char *path)
{
    char at[PATH_BYTES + 100];
    struct text text = {at, 0, sizeof at};
    text_put(&text, "heddle: cannot ");
    text_put(&text, what);
    text_put(&text, " ");
    text_put(&text, path);
    text_put(&text, "\n");
    sys_write(2, at, text.len);
    sys_exit(4);
}

static void path_of(char *at, uint32_t cap)
{
    struct text text = {at, 0, cap};
    text_put(&text, rt.set.dir);
    text_put(&text, "/input");
}

static void create(void)
{
    char path[PATH_BYTES + 32];
    struct log_head head = {LOG_MAGIC, TRACE_VERSION, LOG_INPUT};
    path_of(path, sizeof path);
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || sys_write(fd, &head, sizeof head) != sizeof head)
        record_failed("input", fd < 0 ? fd : -ENOSPC);
    rt.input.fd = input_high(fd);
}

static void append(struct log_record r, const char *name, const struct iovec *pieces,
                   uint32_t count)
{
    static const char zeros[8];
    struct iovec *part = rt.input.parts;
    uint32_t *lengths = rt.input.lengths, n = 2;
    CHECK(count <= INPUT_PIECES_MAX);
    part[0] = (struct iovec){&r, sizeof r};
    part[1] = (struct iovec){(void *)(uintptr_t)name, __builtin_strlen(name) + 1};
    r.bytes = part[1].iov_len;
    for (uint32_t i = 0; i < count; i++) {
        CHECK(pieces[i].iov_len <= UINT32_MAX);
        lengths[i] = (uint32_t)pieces[i].iov_len;
        part[n++] = (struct iovec){&lengths[i], sizeof lengths[i]};
        part[n++] = pieces[i];
        r.bytes += sizeof lengths[i] + pieces[i].iov_len;
    }
    uint64_t pad = -r.bytes & 7, all = sizeof r + r.bytes + pad;
    part[n++] = (struct iovec){(void *)(uintptr_t)zeros, pad};
    r.tag = TAG_CALL;
    r.mark = LOG_MARK;
    rt.input.count++;
    if (rt.input.fd < 0)
        return;
    uint64_t done = 0;
    for (uint32_t i = 0; i < n; i += VECTOR_MAX) {
        uint32_t some = n - i < VECTOR_MAX ? n - i : VECTOR_MAX;
        long put = sys_call(SYS_writev, rt.input.fd, (long)(part + i), some, 0, 0, 0);
        if (put < 0)
            record_failed("input", put);
        done += (uint64_t)put;
    }
    if (done != all)
        record_failed("input", -ENOSPC);
}

/* Who a thread is, before the first record about it: the child of which thread, its k-th. */
static void introduce(struct thr *t)
{
    if (t->introduced || t->parent == NO_ID)
        return;
    CHECK(t->parent < t->id);
    introduce(&rt.threads[t->parent]);
    t->introduced = true;
    append((struct log_record){.thr = t->parent, .ordinal = t->spawn, .result = t->id},
           "thread", NULL, 0);
}

/* ---- the log of the run that is replayed ---------------------------------------------- */

static const struct log_record *record_at(uint32_t i)
{
    return (const struct log_record *)(const void *)(rt.input.log + rt.input.offsets[i]);
}

static const char *name_at(uint32_t i)
{
    return (const char *)(record_at(i) + 1);
}

static void chain(struct input_key *k, uint32_t i)
{
    CHECK((k->last == NO_ID) == (k->next == NO_ID) && (k->last == NO_ID || k->last < i));
    rt.input.links[i] = NO_ID;
    if (k->last == NO_ID)
        k->next = i;
    else
        rt.input.links[k->last] = i;
    k->last = i;
}

static bool is_memory(const char *name)
{
    return __builtin_strcmp(name, "memory") == 0;
}

static bool is_woken(const char *name)
{
    return __builtin_strcmp(name, "woken") == 0;
}

static void index_record(uint32_t i)
{
    const struct log_record *r = record_at(i);
    const char *name = name_at(i);
    bool is_ready = __builtin_strcmp(name, "ready") == 0 || is_memory(name) || is_woken(name);
    chain(is_ready ? key_of(NO_ID, "ready") : key_of(r->thr, name), i);
}

static void index_log(uint64_t bytes)
{
    uint64_t at = sizeof(struct log_head), room = bytes / sizeof(struct log_record) + 1;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    rt.input.offsets = sys_map(memory_far(1), room * 8, PROT_READ | PROT_WRITE, flags, -1, 0);
    rt.input.links = sys_map(memory_far(2), room * 4, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (!rt.input.offsets || !rt.input.links)
        complain("hold", rt.set.input);
    while (bytes - at >= sizeof(struct log_record)) {
        const struct log_record *r =
            (const struct log_record *)(const void *)(rt.input.log + at);
        uint64_t padded = (r->bytes + 7) & ~7ULL;
        if (r->mark != LOG_MARK || padded > bytes - at - sizeof *r)
            break;
        if (r->bytes == 0 || !__builtin_memchr(r + 1, 0, r->bytes))
            break;
        CHECK(rt.input.log_count < room);
        rt.input.offsets[rt.input.log_count] = at;
        index_record(rt.input.log_count++);
        at += sizeof *r + padded;
    }
}

static void open_log(void)
{
    struct log_map m = memory_log(rt.set.input, memory_far(0), LOG_INPUT, PROT_READ);
    if (!m.head)
        complain(m.is_there ? "understand" : "read", rt.set.input);
    rt.input.log = (const uint8_t *)m.head;
    rt.input.exact = true;
    index_log(m.bytes);
}

void input_start(void)
{
    rt.input.fd = rt.input.stdin_fd = -1;
    if (rt.set.dir[0])
        create();
    if (rt.set.input[0] && rt.set.policy == &policy_replay)
        open_log();
}

/* ---- one call ------------------------------------------------------------------------ */

/* Inside another call of libc: a step, but no other thread may run. */
struct call call_inside(struct thr *t, const char *name)
{
    t->step++;
    t->learnt = true;
    stir(t);
    return (struct call){
        .thr = t, .name = name, .site = __heddle_here, .saved = errno, .fd = -1};
}

struct call call_begin(struct thr *t, const char *name)
{
    struct __heddle_site *site = __heddle_here;
    int error = errno;
    point_at(t, &rt, site);
    cancel_check(t);
    t->learnt = true;
    stir(t);
    return (struct call){.thr = t, .name = name, .site = site, .saved = error, .fd = -1};
}

/* Does the log have another record of this name? */
bool input_has(const struct thr *t, const char *name)
{
    return key_of(t->id, name)->next != NO_ID;
}

static void __attribute__((noreturn)) missing(const struct call *c)
{
    char at[200];
    struct text text = {at, 0, sizeof at};
    if (sched_goes_outside(c->thr, false) || input_has(c->thr, "family stuck"))
        sched_block_fds(c->thr, NULL, 0, NEVER); /* it waited there until the end */
    outcome_watch();
    text_put(&text, "T");
    text_number(&text, c->thr->id);
    text_put(&text, " calls ");
    text_put(&text, c->name);
    text_put(&text, " for the ");
    text_number(&text, c->ordinal + 1ULL);
    text_put(&text, ". time, which is not in the log of outside input");
    outcome_diverged(at);
}

/* Is the call to be made? Otherwise its record has the answer. */
bool call_live(struct call *c)
{
    struct input_key *k = key_of(c->thr->id, c->name);
    c->ordinal = k->called++;
    c->live = true;
    rt.input.piece_count = 0;
    if (!rt.input.exact)
        return true;
    if (k->next == NO_ID)
        missing(c);
    const struct log_record *r = record_at(k->next);
    const char *name = (const char *)(r + 1);
    c->record = k->next;
    k->next = rt.input.links[k->next];
    c->live = false;
    c->result = r->result;
    c->error = r->error;
    c->at = (const uint8_t *)name + __builtin_strlen(name) + 1;
    c->end = (const uint8_t *)name + r->bytes;
    return false;
}

static void add_piece(void *p, uint64_t len, bool is_own)
{
    if (rt.input.piece_count >= INPUT_PIECES_MAX)
        outcome_unsupported("an outside call that fills in more than 1100 pieces");
    rt.input.own[rt.input.piece_count] = is_own;
    /* Where nothing was filled in, there may be no memory: the system would refuse to look. */
    rt.input.pieces[rt.input.piece_count++] = (struct iovec){len ? p : NULL, len};
}

static void transfer(struct call *c, void *p, int64_t len, bool is_own)
{
    uint32_t logged = 0;
    if (c->live) {
        add_piece(p, p && len > 0 ? (uint64_t)len : 0, is_own);
        return;
    }
    if (c->end - c->at >= (long)sizeof logged)
        __builtin_memcpy(&logged, c->at, sizeof logged);
    if (c->end - c->at < (long)(sizeof logged + logged))
        outcome_diverged("a record of the log of outside input is too short");
    if (is_own && p && logged > len)
        outcome_diverged("a record of the log of outside input is of another kind");
    if (logged && p)
        __builtin_memcpy(p, c->at + sizeof logged, logged);
    c->at += sizeof logged + logged;
    add_piece(p, logged, is_own);
}

void call_fills(struct call *c, void *p, int64_t len)
{
    transfer(c, p, len, false);
}

void call_keeps(struct call *c, void *p, uint64_t len)
{
    transfer(c, p, (int64_t)len, true);
}

/* How many bytes the next piece of a logged answer has. */
uint32_t call_next_bytes(const struct call *c)
{
    uint32_t logged = 0;
    if (!c->live && c->end - c->at >= (long)sizeof logged)
        __builtin_memcpy(&logged, c->at, sizeof logged);
    return logged;
}

/* The target's memory changed: a write of the calling thread. */
void call_tells(const struct call *c, const void *p, uint64_t len)
{
    memory_filled(c->thr, p, len, c->site);
}

/* Standard input once more, in a file of its own: other runs may want to read the same. It is
 * no part of the record, so a disk that is full is not told of here. */
static void keep_stdin(const struct call *c)
{
    char path[PATH_BYTES + 32];
    struct text text = {path, 0, sizeof path};
    if (!c->live || c->result <= 0 || !rt.set.dir[0])
        return;
    if (rt.input.stdin_fd < 0) {
        text_put(&text, rt.set.dir);
        text_put(&text, "/stdin");
        rt.input.stdin_fd =
            input_high(sys_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    }
    for (uint32_t i = 0; rt.input.stdin_fd >= 0 && i < rt.input.piece_count; i++)
        if (!rt.input.own[i])
            sys_write(rt.input.stdin_fd, rt.input.pieces[i].iov_base,
                      rt.input.pieces[i].iov_len);
}

int64_t call_end(struct call *c)
{
    struct thr *t = c->thr;
    uint64_t bytes = 0, number;
    bool failed = c->result < 0;
    if (UNLIKELY(rt.set.apart))
        apart_look(c);
    introduce(t);
    CHECK(c->live != rt.input.exact && (c->live || c->at <= c->end));
    number = c->live ? rt.input.count : c->record;
    append((struct log_record){.thr = t->id,
                               .ordinal = c->ordinal,
                               .error = failed ? c->error : 0,
                               .result = c->result},
           c->name, rt.input.pieces, rt.input.piece_count);
    if (UNLIKELY(c->fd == 0))
        keep_stdin(c);
    for (uint32_t i = 0; i < rt.input.piece_count; i++)
        bytes += rt.input.own[i] ? 0 : rt.input.pieces[i].iov_len;
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_INPUT,
                                  .number = number,
                                  .len = channel_accounts_for(c) ? 0 : bytes},
                     c->site);
    channel_call(c);
    if (c->result > 0 && t->looks && (peer_says(c) || peer_hears(c)))
        t->looks = 0; /* it talks: it does not wait for the clock */
    peer_call(c);
    client_call(c);
    for (uint32_t i = 0; i < rt.input.piece_count; i++)
        if (!rt.input.own[i])
            memory_filled(t, rt.input.pieces[i].iov_base, rt.input.pieces[i].iov_len,
                          c->is_within ? NULL : c->site);
    rt.input.piece_count = 0;
    sched_look_at_fds();
    errno = failed ? c->error : c->saved;
    return c->result;
}

/* Something happens that no call will tell: a note for whoever reads the log. */
void input_note(struct thr *t, const char *name)
{
    introduce(t);
    append((struct log_record){.thr = t->id, .ordinal = key_of(t->id, name)->called++}, name,
           NULL, 0);
}

/* ---- what no call returns --------------------------------------------------------------- */

/* t waited for the world and need not any more; the running thread, or the one that ran last,
 * is at a step. It can be there more than once, before and after others ran: the number of
 * choices says when. */
void input_ready(struct thr *t)
{
    const struct thr *by = rt.running ? rt.running : rt.last;
    const struct iovec when[] = {{&rt.choice_count, sizeof rt.choice_count},
                                 {&rt.strikes_ns, sizeof rt.strikes_ns}};
    introduce(t);
    append((struct log_record){.thr = t->id,
                               .ordinal = key_of(t->id, "ready")->called++,
                               .error = (int32_t)by->id,
                               .result = (int64_t)by->step},
           "ready", when, 2);
}

/* A signal of the system ends t's wait. At a point that is before what the step does. */
void input_woken(struct thr *t, bool is_at_point)
{
    const struct thr *by = rt.running ? rt.running : rt.last;
    const struct iovec when = {&rt.choice_count, sizeof rt.choice_count};
    introduce(t);
    append((struct log_record){.thr = t->id,
                               .ordinal = key_of(t->id, "woken")->called++,
                               .error = (int32_t)by->id,
                               .result = (int64_t)(by->step - is_at_point)},
           "woken", &when, 1);
}

/* Of a record that somebody is ready: its first or second piece. */
static uint64_t ready_piece(const struct log_record *r, unsigned which)
{
    uint64_t value = 0, name = __builtin_strlen((const char *)(r + 1)) + 1;
    uint64_t at = name + 4 + which * (sizeof value + 4);
    if (r->bytes >= at + sizeof value)
        __builtin_memcpy(&value, (const char *)(r + 1) + at, sizeof value);
    return value;
}

static uint64_t choices_of(const struct log_record *r)
{
    return ready_piece(r, 0);
}

/* When the timer struck that made it so; 0: it was something else. */
static uint64_t strike_of(const struct log_record *r)
{
    return ready_piece(r, 1);
}

/* Other processes have changed memory that they share with us, since we gave our turn away. At
 * a point that is before what the step does. */
void input_changed(const uint64_t *addr, const struct iovec *bytes, uint32_t count)
{
    const struct thr *by = rt.running ? rt.running : rt.last;
    struct iovec pieces[1 + 2 * INPUT_CHANGES_MAX];
    CHECK(count <= INPUT_CHANGES_MAX && by);
    pieces[0] = (struct iovec){&rt.choice_count, sizeof rt.choice_count};
    for (uint32_t i = 0; i < count; i++) {
        pieces[1 + 2 * i] = (struct iovec){(void *)(uintptr_t)&addr[i], sizeof *addr};
        pieces[2 + 2 * i] = bytes[i];
    }
    append((struct log_record){.thr = by->id,
                               .ordinal = key_of(NO_ID, "memory")->called++,
                               .error = (int32_t)by->id,
                               .result = (int64_t)(by->step - rt.is_at_point)},
           "memory", pieces, 1 + 2 * count);
}

static void put_changed(const struct log_record *r)
{
    const uint8_t *at = (const uint8_t *)(r + 1), *end = at + r->bytes;
    uint32_t len[2];
    uint64_t addr;
    at += sizeof "memory" + sizeof *len + sizeof rt.choice_count;
    while (end - at > (long)(sizeof len + sizeof addr)) {
        __builtin_memcpy(&addr, at + sizeof *len, sizeof addr);
        at += sizeof *len + sizeof addr;
        __builtin_memcpy(len, at, sizeof *len);
        at += sizeof *len;
        if (end - at < (long)len[0])
            outcome_diverged("a record of the log of outside input is too short");
        shared_put(addr, at, len[0]);
        at += len[0];
    }
}

/* Whom the log says to have become ready up to this step of `by`; null if nobody. */
struct thr *input_next_ready(const struct thr *by, uint64_t step)
{
    struct input_key *k = key_of(NO_ID, "ready");
    while (k->next != NO_ID) {
        const struct log_record *r = record_at(k->next);
        if (r->error != (int32_t)by->id || r->result > (int64_t)step ||
            r->thr >= rt.thread_count || choices_of(r) > rt.choice_count)
            return NULL;
        if (is_memory((const char *)(r + 1))) {
            k->next = rt.input.links[k->next];
            put_changed(r);
            continue;
        }
        struct thr *t = &rt.threads[r->thr];
        bool is_signal = is_woken((const char *)(r + 1));
        bool waits = t->state == THR_BLOCKED && (is_signal || t->wait_how == WAIT_FD);
        bool is_early = !waits || (strike_of(r) && strike_of(r) != rt.strikes_ns);
        if (is_early && r->result == (int64_t)by->step)
            return NULL;
        k->next = rt.input.links[k->next];
        if (waits && !is_signal)
            return t;
        if (waits)
            sched_wake_logged(t, r->result < (int64_t)by->step);
    }
    return NULL;
}

/* Does t become ready next, by a timer? */
bool input_awaits_strike(const struct thr *t)
{
    const struct input_key *k = key_of(NO_ID, "ready");
    const struct log_record *r = k->next == NO_ID ? NULL : record_at(k->next);
    bool is_ready = r && !is_memory((const char *)(r + 1)) && !is_woken((const char *)(r + 1));
    return is_ready && r->thr == t->id && strike_of(r);
}

/* The step of t behind the next one at which it notices that somebody is ready. */
uint64_t input_ready_step(const struct thr *t)
{
    const struct input_key *k = key_of(NO_ID, "ready");
    if (k->next == NO_ID || record_at(k->next)->error != (int32_t)t->id)
        return NEVER;
    return (uint64_t)record_at(k->next)->result + 1;
}

void input_signal(struct thr *t, int signal, enum signal_where where, const siginfo_t *info)
{
    struct signal_note note = {t->step, t->handled, where, *info};
    struct iovec piece = {&note, sizeof note};
    introduce(t);
    peer_signalled(signal);
    append((struct log_record){.thr = t->id,
                               .ordinal = key_of(t->id, "signal")->called++,
                               .result = signal},
           "signal", &piece, 1);
}

/* The signal that comes to t next, according to the log: its number, 0 if there is none. */
int input_next_signal(const struct thr *t, struct signal_note *out)
{
    const struct input_key *k = key_of(t->id, "signal");
    if (!rt.input.exact || k->next == NO_ID)
        return 0;
    const struct log_record *r = record_at(k->next);
    if (r->bytes < sizeof "signal" + 4 + sizeof *out || r->result < 1 || r->result > 64)
        outcome_diverged("a record of the log of outside input is of another kind");
    __builtin_memcpy(out, (const char *)(r + 1) + sizeof "signal" + 4, sizeof *out);
    return (int)r->result;
}

void input_take_signal(const struct thr *t)
{
    struct input_key *k = key_of(t->id, "signal");
    CHECK(k->next < rt.input.log_count);
    k->next = rt.input.links[k->next];
}

void input_limit(struct thr *t, bool idle)
{
    introduce(t);
    append((struct log_record){.thr = t->id, .error = idle, .result = (int64_t)t->step},
           "limit", NULL, 0);
}

/* t waits for a descriptor that nobody will make ready: the run ends there. */
void input_stuck(struct thr *t)
{
    introduce(t);
    append((struct log_record){.thr = t->id, .result = (int64_t)t->step}, "stuck", NULL, 0);
}

bool input_is_stuck(const struct thr *t)
{
    const struct input_key *k = key_of(t->id, "stuck");
    return rt.input.exact && k->next != NO_ID && record_at(k->next)->result == (int64_t)t->step;
}

static const struct log_record *limit_of(const struct thr *t)
{
    const struct input_key *k = key_of(t->id, "limit");
    return rt.input.exact && k->next != NO_ID ? record_at(k->next) : NULL;
}

/* The step of t at which the time limit struck; NEVER if it did not, or while all waited. */
uint64_t input_next_limit(const struct thr *t)
{
    const struct log_record *r = limit_of(t);
    return r && !r->error ? (uint64_t)r->result : NEVER;
}

/* Did it strike while t had nobody to give its turn to? */
bool input_limit_idle(const struct thr *t)
{
    const struct log_record *r = limit_of(t);
    return r && r->error && (uint64_t)r->result == t->step;
}

/* In a forked child: the file is the parent's. */
void input_off(void)
{
    if (rt.input.fd >= 0)
        sys_close(rt.input.fd);
    if (rt.input.stdin_fd >= 0)
        sys_close(rt.input.stdin_fd);
    if (rt.peers_fd >= 0)
        sys_close(rt.peers_fd);
    rt.input.fd = rt.input.stdin_fd = rt.peers_fd = -1;
}
