/* SPDX-License-Identifier: Apache-2.0
 *
 * peer-play: whoever was outside when a run was recorded is played here, by the thread that has
 * the token, with sockets of our own. The next step of a connection may come as soon as the
 * target has sent what it had sent in the record: at once under fifo and a guide, by chance
 * under others, and in any case when nobody can go on. If nobody can and none may come, the
 * first comes all the same: the run is out of step then, and nothing is concluded from it. So
 * nobody waits a second time for what is held back until much time has gone by.
 * What comes, and when, is in the schedule; who follows that has it come there.
 *
 * A step is over when the kernel shows it to the target, so that the schedule alone decides
 * what the target sees. */
#include "rt/rt.h"
#include "rt/sys.h"
#include "heddle/peers.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum {
    WINDOW_PEERS = 40,
    ERRNO_MAX = 4095,
    CHANCE = 4, /* looks between two steps, on average */
    QUEUED = 8, /* datagrams that a socket holds at least; further ones are kept back */
    LOOKUPS_MAX = 256,
    IDLE_MAX = 1000, /* times that only time went on, when all steps are made */
};

struct play {
    const uint8_t *at, *end;                 /* steps */
    const struct peer_step *next[PEERS_MAX]; /* of each connection; null: it is over */
    const struct peer_step *signal;          /* the next one, or null */
    uint32_t idle;
    bool is_out;                 /* of step */
    uint64_t asked[LOOKUPS_MAX]; /* hashes of questions, as often as they were asked */
    uint32_t asked_count;
};

/* ---- steps ------------------------------------------------------------------------------- */

static const struct peer_need *needs_of(const struct peer_step *s)
{
    return (const struct peer_need *)(const void *)(s + 1);
}

static const uint8_t *bytes_of(const struct peer_step *s)
{
    return (const uint8_t *)(needs_of(s) + s->needs);
}

static const struct peer_step *behind(const struct peer_step *s)
{
    const uint8_t *p = s ? bytes_of(s) + ((s->bytes + 7) & ~7ULL) : rt.told->at;
    const struct peer_step *n = (const struct peer_step *)(const void *)p;
    uint64_t left = (uint64_t)(rt.told->end - p);
    if (p > rt.told->end || left < sizeof *n || n->needs > PEERS_MAX || n->what >= PEER_WHATS)
        return NULL;
    left -= sizeof *n;
    uint64_t needs = n->needs * sizeof(struct peer_need);
    return needs <= left && n->bytes <= left - needs ? n : NULL;
}

/* No step: it does not come, it is so. */
static bool is_fact(const struct peer_step *s)
{
    return s->what == PEER_KNOWN || s->what == PEER_LOOKUP || s->what == PEER_CALLED ||
           s->what == PEER_REFUSES;
}

static bool has_addresses(const struct peer_step *s)
{
    return s->at >= sizeof(sa_family_t) && s->at <= sizeof rt.peers->name &&
           s->at <= s->bytes && s->bytes - s->at <= sizeof rt.peers->own;
}

static bool is_datagram_at(const struct peer_step *s)
{
    return s->at >= 1 && s->at <= DATAGRAMS_MAX;
}

/* Does it say what a step of its kind says? Behind this, that is not asked again. */
static bool is_sound(const struct peer_step *s)
{
    const struct peer_need *n = needs_of(s);
    for (uint32_t i = 0; i < s->needs; i++)
        if (n[i].connection >= PEERS_MAX)
            return false;
    switch (s->what) {
    case PEER_SIGNALS:
        return s->connection == NO_ID && s->at >= 1 && s->at < NSIG;
    case PEER_LOOKUP:
        return s->connection == NO_ID;
    case PEER_KNOWN:
        return s->connection < PEERS_MAX && s->bytes <= sizeof rt.peers->name;
    case PEER_DATAGRAM:
        return s->connection < PEERS_MAX && is_datagram_at(s);
    case PEER_CALLED:
        return s->connection < PEERS_MAX && has_addresses(s);
    case PEER_REFUSES:
        return s->connection < PEERS_MAX && s->at >= 1 && s->at <= ERRNO_MAX;
    case PEER_CONNECTS:
        return s->connection < PEERS_MAX && s->at >= 1 && s->at <= LISTENERS_MAX;
    default:
        return s->connection < PEERS_MAX;
    }
}

/* The next one of a connection, or of none. */
static const struct peer_step *later(const struct peer_step *s, uint32_t connection)
{
    do
        s = behind(s);
    while (s && (s->connection != connection || is_fact(s)));
    return s;
}

/* Where the target listens; from outside that is any address. 0: it cannot be reached. */
static socklen_t address_of(int fd, struct sockaddr_storage *out)
{
    socklen_t len = sizeof *out;
    if (fd < 0 || sys_call(SYS_getsockname, fd, (long)out, (long)&len, 0, 0, 0) < 0)
        return 0;
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)out;
    bool is_inet = out->ss_family == AF_INET || out->ss_family == AF_INET6;
    if (out->ss_family == AF_INET && four->sin_addr.s_addr == 0)
        four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (out->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr))
        six->sin6_addr.s6_addr[15] = 1;
    return is_inet ? (four->sin_port ? len : 0)
                   : (len > offsetof(struct sockaddr_un, sun_path) ? len : 0);
}

/* Has the target yet to call whom it comes from? */
static bool awaits_call(const struct peer_step *s)
{
    return s->connection < PEERS_MAX && rt.peers[s->connection].is_called &&
           !rt.peers[s->connection].is_reached;
}

/* Is there what a step goes to? A datagram for a socket that was closed goes nowhere. */
static bool has_goal(const struct peer_step *s)
{
    struct sockaddr_storage a;
    if (awaits_call(s))
        return false;
    if (s->what == PEER_CONNECTS)
        return s->at <= rt.listener_count;
    if (s->what != PEER_DATAGRAM)
        return true;
    CHECK(is_datagram_at(s));
    if (s->at > rt.datagram.count)
        return false;
    int fd = rt.datagram.sockets[s->at - 1].fd;
    return fd < 0 || address_of(fd, &a) > 0;
}

static bool may_come(const struct peer_step *s)
{
    const struct peer_need *n = needs_of(s);
    if (!has_goal(s) ||
        (s->what == PEER_DATAGRAM && rt.datagram.sockets[s->at - 1].queued >= QUEUED))
        return false;
    for (uint32_t i = 0; i < s->needs; i++)
        if (rt.peers[n[i].connection].sent < n[i].sent)
            return false;
    return true;
}

/* ---- our ends ---------------------------------------------------------------------------- */

bool peer_shows(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    return sys_call(SYS_poll, (long)&p, 1, SHOWN_MS, 0, 0, 0) > 0;
}

/* A socket of the Unix domain needs a name to be known by. */
static void name_socket(int fd, uint32_t connection)
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    struct text text = {own.sun_path + 1, 0, sizeof own.sun_path - 1};
    text_put(&text, "heddle-");
    text_number(&text, (uint64_t)rt.pid);
    text_put(&text, "-");
    text_number(&text, connection);
    sys_call(SYS_bind, fd, (long)&own,
             (long)(offsetof(struct sockaddr_un, sun_path) + 1 + text.len), 0, 0, 0);
}

/* Of whom datagrams come from, and go to; it is made when it is first needed. */
int peer_end(uint32_t number)
{
    struct peer *p = &rt.peers[number];
    struct sockaddr_in four = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool has_name = p->name_len > offsetof(struct sockaddr_un, sun_path);
    int family = has_name ? p->name.ss_family : AF_UNIX;
    long type = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    if (p->ours >= 0)
        return p->ours;
    p->ours = input_high((int)sys_call(SYS_socket, family, type, 0, 0, 0, 0));
    if (p->ours >= 0 && family == AF_INET)
        sys_call(SYS_bind, p->ours, (long)&four, sizeof four, 0, 0, 0);
    if (p->ours >= 0 && family == AF_INET6)
        sys_call(SYS_bind, p->ours, (long)&six, sizeof six, 0, 0, 0);
    if (p->ours >= 0 && family == AF_UNIX && has_name)
        name_socket(p->ours, number);
    return p->ours;
}

static void send_datagram(const struct peer_step *s)
{
    struct sockaddr_storage a = {0};
    struct datagram_socket *to = &rt.datagram.sockets[s->at - 1];
    socklen_t len = address_of(to->fd, &a);
    int fd = peer_end(s->connection);
    if (to->fd < 0) /* nobody hears it any more */
        return;
    if (sys_call(SYS_sendto, fd, (long)bytes_of(s), (long)s->bytes, MSG_NOSIGNAL, (long)&a,
                 len) < 0 ||
        !peer_shows(to->fd, POLLIN))
        outcome_doubt(DOUBT_PEER_OUT_OF_STEP, "a datagram could not be sent");
    to->queued++;
}

static void make_connection(const struct peer_step *s)
{
    struct peer *p = &rt.peers[s->connection];
    struct sockaddr_storage a = {0};
    int listener = rt.listeners[s->at - 1];
    socklen_t len = address_of(listener, &a);
    long type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    p->ours = len ? input_high((int)sys_call(SYS_socket, a.ss_family, type, 0, 0, 0, 0)) : -1;
    if (p->ours < 0)
        return;
    if (a.ss_family == AF_UNIX)
        name_socket(p->ours, s->connection);
    sys_call(SYS_connect, p->ours, (long)&a, len, 0, 0, 0);
    if (rt.peer_count <= s->connection)
        rt.peer_count = s->connection + 1;
    if (!peer_shows(p->ours, POLLOUT) || !peer_shows(listener, POLLIN))
        outcome_doubt(DOUBT_PEER_OUT_OF_STEP, "it could not connect");
}

/* Nobody reads it, but the target must not wait for room. */
static void drain(const struct peer *p)
{
    static char nowhere[4096];
    while (p->ours >= 0 && sys_call(SYS_recvfrom, p->ours, (long)nowhere, sizeof nowhere,
                                    MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0) > 0)
        ;
}

static void send_bytes(const struct peer_step *s)
{
    const struct peer *p = &rt.peers[s->connection];
    uint64_t done = 0;
    while (p->ours >= 0 && done < s->bytes) {
        long n = sys_call(SYS_sendto, p->ours, (long)(bytes_of(s) + done),
                          (long)(s->bytes - done), MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
        drain(p);
        if (n <= 0) /* the target has closed it, or does not read: no fault of ours */
            break;
        done += (uint64_t)n;
    }
    if (p->fd >= 0 && done)
        peer_shows(p->fd, POLLIN);
}

static void end_connection(const struct peer_step *s)
{
    struct peer *p = &rt.peers[s->connection];
    struct linger now = {1, 0};
    if (p->ours < 0)
        return;
    drain(p);
    if (s->what == PEER_ENDS) {
        sys_call(SYS_shutdown, p->ours, SHUT_WR, 0, 0, 0, 0);
    } else {
        sys_call(SYS_setsockopt, p->ours, SOL_SOCKET, SO_LINGER, (long)&now, sizeof now, 0);
        sys_close(p->ours);
        p->ours = -1;
    }
    if (p->fd >= 0)
        peer_shows(p->fd, POLLIN);
}

/* Any thread may take it: it has come when one did. */
static void send_signal(int signal)
{
    uint64_t bit = 1ULL << ((unsigned)(signal - 1) % 64);
    sys_call(SYS_kill, rt.pid, signal, 0, 0, 0, 0);
    for (int i = 0; i < SHOWN_MS && rt.caught & bit; i++) {
        if (__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST))
            break;
        sys_call(SYS_poll, 0, 0, 1, 0, 0, 0);
    }
}

static void make(const struct peer_step *s)
{
    const struct thr *by = rt.running ? rt.running : rt.last;
    CHECK(has_goal(s));
    record_arrival(by->step, s->connection);
    switch (s->what) {
    case PEER_CONNECTS:
        make_connection(s);
        break;
    case PEER_SENDS:
        send_bytes(s);
        break;
    case PEER_DATAGRAM:
        send_datagram(s);
        break;
    case PEER_SIGNALS:
        send_signal((int)s->at);
        rt.play->signal = later(s, NO_ID);
        return;
    default:
        end_connection(s);
        break;
    }
    rt.play->next[s->connection] = later(s, s->connection);
}

/* ---- which of them ----------------------------------------------------------------------- */

/* The first in the order of the record; with chance, any. `all`: those too that may not yet. A
 * signal comes when all else has come. */
static const struct peer_step *choose(bool by_chance, bool all)
{
    const struct peer_step *best = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < PEERS_MAX; i++) {
        const struct peer_step *s = rt.play->next[i];
        if (!s || awaits_call(s) || (!all && !may_come(s)))
            continue;
        if (by_chance ? random_below(++count) == 0 : !best || s < best)
            best = s;
    }
    return best;
}

static bool has_chance(void)
{
    return rt.set.policy != &policy_fifo && rt.set.policy != &policy_guided &&
           rt.set.policy != &policy_nudge && rt.set.policy != &policy_exhaustive;
}

/* What the schedule says to come here; null: nothing does. */
static const struct peer_step *planned(const struct thr *by)
{
    uint32_t connection;
    if (!replay_arrives(by, &connection))
        return NULL;
    const struct peer_step *s = connection < PEERS_MAX ? rt.play->next[connection]
                                : connection == NO_ID  ? rt.play->signal
                                                       : NULL;
    if (!s || !has_goal(s))
        outcome_diverged("the schedule has something come from outside that was not recorded, "
                         "or goes to a socket that is not there");
    return s;
}

/* Behind an outside call: has something come? */
void peer_look(void)
{
    if (!rt.play)
        return;
    for (uint32_t i = 0; i < rt.peer_count; i++)
        drain(&rt.peers[i]);
    if (rt.set.policy == &policy_replay) {
        for (const struct peer_step *s; (s = planned(rt.running));)
            make(s);
        return;
    }
    bool by_chance = has_chance();
    if (by_chance && random_below(CHANCE) != 0)
        return;
    /* not more guests at a time than the target asks in */
    bool goes_on = true;
    for (const struct peer_step *s; goes_on && (s = choose(by_chance, false));) {
        goes_on = !by_chance && s->what != PEER_CONNECTS;
        make(s);
    }
}

/* Whoever ended it when it was recorded is not there. */
void peer_end_run(struct thr *t)
{
    outcome_doubt(DOUBT_INPUT_MISSING, NULL);
    input_limit(t, true);
    outcome_late();
}

/* Nobody can go on. False: neither does anything come from outside, but time goes on. */
bool peer_idle(struct thr *t, bool time_goes_on)
{
    for (uint32_t i = 0; i < rt.peer_count; i++)
        drain(&rt.peers[i]);
    const struct peer_step *s =
        rt.set.policy == &policy_replay ? planned(rt.running ? rt.running : t) : NULL;
    const struct peer_step *any = choose(false, true);
    if (!s)
        s = choose(false, false);
    if (!s && !any)
        s = rt.play->signal;
    bool is_patient = !any || !rt.play->is_out;
    if (!s && time_goes_on && is_patient && ++rt.play->idle <= IDLE_MAX)
        return false;
    if (!s && any) {
        rt.play->is_out = true;
        outcome_doubt(DOUBT_PEER_OUT_OF_STEP, NULL);
        s = any;
    }
    rt.play->idle = 0;
    if (!s)
        peer_end_run(t);
    if (s->what == PEER_DATAGRAM && !has_goal(s))
        rt.play->next[s->connection] = later(s, s->connection); /* it is lost */
    else if (!has_goal(s))
        rt.play->next[s->connection] = NULL; /* the target does not listen there at all */
    else
        make(s);
    return true;
}

/* In a run that follows a schedule: what `next` waits for comes, if it comes from outside. */
void peer_bring(struct thr *t, const struct thr *next)
{
    bool goes_on = true;
    while (goes_on) {
        sched_look_at_fds();
        if (__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST))
            signal_wakes();
        bool waits = next->state == THR_BLOCKED && next->wait_how == WAIT_FD;
        goes_on = waits && peer_idle(t, rt.next_deadline != NEVER);
    }
}

/* The target has accepted a connection: one of ours, by its name? */
void peer_meets(int listener, int fd)
{
    struct sockaddr_storage theirs = {0}, ours = {0};
    socklen_t len = sizeof theirs;
    if (!peer_listener(listener) || fd < 0 || fd >= CHANNEL_FDS_MAX ||
        sys_call(SYS_getpeername, fd, (long)&theirs, (long)&len, 0, 0, 0) < 0)
        return;
    for (uint32_t i = 0; i < rt.peer_count; i++) {
        socklen_t own = sizeof ours;
        if (rt.peers[i].ours < 0 || rt.peers[i].is_datagram || rt.peers[i].is_called ||
            sys_call(SYS_getsockname, rt.peers[i].ours, (long)&ours, (long)&own, 0, 0, 0) < 0)
            continue;
        const struct sockaddr_in *a = (const void *)&theirs, *b = (const void *)&ours;
        bool is_it = theirs.ss_family == AF_UNIX
                         ? len == own && __builtin_memcmp(&theirs, &ours, len) == 0
                         : a->sin_port == b->sin_port;
        if (is_it) {
            rt.peers[i].fd = fd;
            rt.peer_fds[fd] = (uint8_t)(i + 1);
            return;
        }
    }
}

bool peer_is_own(int fd)
{
    for (uint32_t i = 0; rt.play && i < rt.peer_count; i++)
        if (rt.peers[i].ours == fd)
            return true;
    return false;
}

/* ---- look-ups ---------------------------------------------------------------------------- */

static uint64_t hash_question(const uint8_t *at, uint32_t len)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    for (uint32_t i = 0; i < len; i++)
        h = (h ^ at[i]) * 0x100000001b3ULL;
    return h;
}

/* How often it was asked before. */
static uint32_t note_question(uint64_t hash)
{
    struct play *p = rt.told;
    uint32_t before = 0;
    for (uint32_t i = 0; i < p->asked_count; i++)
        before += p->asked[i] == hash;
    if (p->asked_count < LOOKUPS_MAX)
        p->asked[p->asked_count++] = hash;
    return before;
}

static bool is_about(const struct peer_step *s, const void *question, uint32_t len)
{
    uint32_t own = 0;
    if (s->what != PEER_LOOKUP || s->bytes < sizeof own)
        return false;
    __builtin_memcpy(&own, bytes_of(s), sizeof own);
    return own == len && s->bytes - sizeof own >= len &&
           __builtin_memcmp(bytes_of(s) + sizeof own, question, len) == 0;
}

/* The answer that the recorded run got the k-th time goes to who asks the k-th time, and the
 * last one to all behind it; null: it did not ask that. */
const uint8_t *peer_lookup(const void *question, uint32_t len, uint64_t *bytes)
{
    const struct peer_step *found = NULL;
    if (!rt.told || rt.input.exact)
        return NULL;
    uint32_t before = note_question(hash_question(question, len));
    for (const struct peer_step *s = behind(NULL); s; s = behind(s)) {
        if (!is_about(s, question, len))
            continue;
        found = s;
        if (before-- == 0)
            break;
    }
    if (!found)
        return NULL;
    *bytes = found->bytes - sizeof len - len;
    return bytes_of(found) + sizeof len + len;
}

/* Whom the target will ask for by this address next; NO_ID: nobody. */
uint32_t peer_find_called(const struct sockaddr *a, socklen_t len)
{
    for (uint32_t i = 0; i < rt.peer_count; i++) {
        const struct peer *p = &rt.peers[i];
        if (p->is_called && !p->is_reached && p->name_len == len &&
            __builtin_memcmp(&p->name, a, len) == 0)
            return i;
    }
    return NO_ID;
}

/* The next place in what he is sent at which the record knows what it was. */
static void set_mark(struct peer *p)
{
    uint32_t number = (uint32_t)(p - rt.peers);
    p->mark = 0;
    for (const struct peer_step *s = behind(NULL); s; s = behind(s)) {
        const struct peer_need *n = needs_of(s);
        for (uint32_t i = 0; i < s->needs; i++) {
            bool is_next = n[i].connection == number && n[i].sent > p->sent && n[i].hash;
            if (is_next && (!p->mark || n[i].sent < p->mark)) {
                p->mark = n[i].sent;
                p->mark_hash = n[i].hash;
            }
        }
    }
}

/* The target has sent as much as it had in the record; the same? */
void peer_mark(struct peer *p)
{
    if (p->hash != p->mark_hash)
        outcome_doubt(DOUBT_PEER_OUT_OF_STEP, NULL);
    set_mark(p);
}

/* This descriptor of the target's leads to him now. */
void peer_met(uint32_t number, int fd)
{
    if (fd < 0 || fd >= CHANNEL_FDS_MAX)
        return;
    rt.peers[number].fd = fd;
    set_mark(&rt.peers[number]);
    rt.peer_fds[fd] = (uint8_t)(number + 1);
}

/* Whom the target knows by an address, or what else is known of him. */
static void know(const struct peer_step *s)
{
    struct peer *p = &rt.peers[s->connection];
    socklen_t len = (socklen_t)(s->what == PEER_CALLED ? s->at : s->bytes);
    if (s->what == PEER_REFUSES) {
        p->refusal = (int)s->at;
        return;
    }
    p->is_datagram = s->what == PEER_KNOWN;
    p->is_called = s->what == PEER_CALLED;
    p->hash = PEER_HASH;
    p->name_len = len;
    p->own_len = (socklen_t)(s->bytes - len);
    __builtin_memcpy(&p->name, bytes_of(s), len);
    __builtin_memcpy(&p->own, bytes_of(s) + len, p->own_len);
    if (rt.peer_count <= s->connection)
        rt.peer_count = s->connection + 1;
}

/* Were there look-ups only, as far as the record was not cut off? */
static bool comes_nobody(void)
{
    const uint8_t *end = rt.told->at;
    for (const struct peer_step *s = behind(NULL); s; s = behind(s)) {
        if (s->what != PEER_LOOKUP)
            return false;
        end = bytes_of(s) + ((s->bytes + 7) & ~7ULL);
    }
    return end > rt.told->at && end == rt.told->end;
}

void peer_start(void)
{
    static struct play play;
    struct stat st;
    uint64_t bytes = 0;
    rt.peers_fd = -1;
    reach_start();
    for (uint32_t i = 0; i < PEERS_MAX; i++)
        rt.peers[i].ours = rt.peers[i].fd = -1;
    if (!rt.set.peers[0] || rt.input.exact ||
        sys_call(SYS_stat, (long)rt.set.peers, (long)&st, 0, 0, 0, 0) < 0)
        return;
    const struct peer_head *head = memory_file(rt.set.peers, WINDOW_PEERS, &bytes);
    if (!head || bytes < sizeof *head || head->magic != PEERS_MAGIC)
        outcome_diverged("cannot read what is to come from outside");
    play.at = (const uint8_t *)(head + 1);
    play.end = (const uint8_t *)head + bytes;
    rt.told = &play;
    rt.play = comes_nobody() ? NULL : &play;
    for (const struct peer_step *s = behind(NULL); s; s = behind(s)) {
        if (!is_sound(s))
            outcome_diverged("cannot read what is to come from outside");
        if (is_fact(s) && s->what != PEER_LOOKUP)
            know(s);
    }
    for (uint32_t i = 0; i < PEERS_MAX; i++)
        play.next[i] = later(NULL, i);
    play.signal = later(NULL, NO_ID);
    for (const struct peer_step *s = play.signal; s; s = later(s, NO_ID))
        if (s->at == SIGTERM || s->at == SIGINT || s->at == SIGHUP)
            signal_end_properly((int)s->at);
}
