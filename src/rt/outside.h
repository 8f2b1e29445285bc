/* SPDX-License-Identifier: Apache-2.0
 *
 * outside: what the target asks the world for, how it is logged and answered, and what one
 * thread learns from another by way of it. */
#ifndef RT_OUTSIDE_H
#define RT_OUTSIDE_H

#include "rt/recording.h"

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

#endif
