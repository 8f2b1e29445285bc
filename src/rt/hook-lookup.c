/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-lookup: names of hosts, services and users. What libc does to find them out depends on
 * the machine, the network and on what was asked before, and it keeps things for the next time.
 * So it happens out of the target's sight, with memory of its own (hook-alloc.c). What is said
 * about hosts is in the log, since a replay may have another network, or none: the target gets
 * blocks of the same form as from libc, which frees them one by one. Runs that are made from a
 * recorded one get its answers (peer-play.c), for the same reason. */
#include "rt/rt.h"
#include "rt/real.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { PACKED_BYTES = 16384 };

/* One after the other: `head` without places, the address, the name with its zero byte. */
struct packed {
    char bytes[PACKED_BYTES];
    uint64_t used;
    bool is_full;
};

struct head {
    struct addrinfo info;
    uint64_t address_bytes, name_bytes; /* of the name 0: there is none */
};

static void pack(struct packed *p, const struct addrinfo *i)
{
    struct head h = {.info = *i, .address_bytes = i->ai_addr ? i->ai_addrlen : 0};
    h.name_bytes = i->ai_canonname ? strlen(i->ai_canonname) + 1 : 0;
    p->is_full |= sizeof h + h.address_bytes + h.name_bytes > PACKED_BYTES - p->used;
    if (p->is_full)
        return;
    h.info.ai_addr = NULL;
    h.info.ai_canonname = NULL;
    h.info.ai_next = NULL;
    memcpy(p->bytes + p->used, &h, sizeof h);
    p->used += sizeof h;
    memcpy(p->bytes + p->used, i->ai_addr, h.address_bytes);
    p->used += h.address_bytes;
    memcpy(p->bytes + p->used, i->ai_canonname, h.name_bytes);
    p->used += h.name_bytes;
}

/* A block of the target's with these bytes behind `room` others; null: no memory. */
static char *block_of(size_t room, const char *from, uint64_t len)
{
    char *block = malloc(room + len);
    if (block)
        memcpy(block + room, from, len);
    return block;
}

/* The next one, which begins at *at; null: no memory. */
static struct addrinfo *unpack(const struct call *c, const struct packed *p, uint64_t *at)
{
    struct head h;
    memcpy(&h, p->bytes + *at, sizeof h);
    const char *address = p->bytes + *at + sizeof h;
    const char *name = address + h.address_bytes;
    *at += sizeof h + h.address_bytes + h.name_bytes;
    char *block = block_of(sizeof h.info, address, h.address_bytes);
    char *named = block && h.name_bytes ? block_of(0, name, h.name_bytes) : NULL;
    if (!block || (h.name_bytes && !named)) {
        free(block);
        return NULL;
    }
    h.info.ai_addr =
        h.address_bytes ? (struct sockaddr *)(void *)(block + sizeof h.info) : NULL;
    h.info.ai_canonname = named;
    memcpy(block, &h.info, sizeof h.info);
    call_tells(c, block, sizeof h.info + h.address_bytes);
    if (named)
        call_tells(c, named, h.name_bytes);
    return (struct addrinfo *)(void *)block;
}

/* ---- questions ------------------------------------------------------------------------- */

enum { QUESTION_BYTES = 1024 };

/* What was asked; the same words are the same question. */
struct question {
    char bytes[QUESTION_BYTES];
    uint32_t used;
    bool is_full;
};

static void asks(struct question *q, const void *from, uint64_t len)
{
    q->is_full |= len > QUESTION_BYTES - q->used;
    if (q->is_full)
        return;
    memcpy(q->bytes + q->used, from, len);
    q->used += (uint32_t)len;
}

static void asks_text(struct question *q, const char *text)
{
    asks(q, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void asks_number(struct question *q, int n)
{
    asks(q, &n, sizeof n);
}

/* What an answer is but for its bytes. */
struct verdict {
    int result, error;
};

/* As the recorded run got it, if it asked that, too. */
static bool is_told(const struct question *q, struct packed *out, struct verdict *v)
{
    uint64_t bytes = 0;
    const uint8_t *at = q->is_full ? NULL : peer_lookup(q->bytes, q->used, &bytes);
    if (!at || bytes < sizeof *v || bytes - sizeof *v > PACKED_BYTES)
        return false;
    memcpy(v, at, sizeof *v);
    out->used = bytes - sizeof *v;
    memcpy(out->bytes, at + sizeof *v, out->used);
    return true;
}

static void keep(const struct question *q, const struct packed *p, struct verdict v)
{
    static char answer[PACKED_BYTES + sizeof v]; /* the stack may be small */
    if (q->is_full || p->is_full)
        return;
    memcpy(answer, &v, sizeof v);
    memcpy(answer + sizeof v, p->bytes, p->used);
    peer_note_lookup(q->bytes, q->used, answer, sizeof v + p->used);
}

static bool needs_no_network(const char *node)
{
    struct in6_addr any;
    return !node || strcmp(node, "localhost") == 0 || inet_pton(AF_INET, node, &any) == 1 ||
           inet_pton(AF_INET6, node, &any) == 1;
}

static int ask_system(struct packed *out, const char *node, const char *service,
                      const struct addrinfo *hints)
{
    struct addrinfo *list = NULL;
    struct thr *t = self;
    alloc_aside();
    self = NULL;
    int result = real.getaddrinfo(node, service, hints, &list), error = errno;
    if (result == 0) {
        for (const struct addrinfo *i = list; i; i = i->ai_next)
            pack(out, i);
        freeaddrinfo(list);
    }
    self = t;
    alloc_aside_end();
    if (result == EAI_AGAIN && rt.set.apart & APART_OVERLAY && !(rt.set.apart & APART_NETWORK))
        outcome_doubt(DOUBT_OUTSIDE, "getaddrinfo");
    errno = error;
    return result;
}

static int ask_addresses(struct packed *out, const char *node, const char *service,
                         const struct addrinfo *hints)
{
    struct question q = {.used = 0};
    struct verdict v;
    if (needs_no_network(node))
        return ask_system(out, node, service, hints);
    asks_text(&q, "addresses");
    asks_text(&q, node);
    asks_text(&q, service);
    asks_number(&q, hints ? hints->ai_flags : -1);
    asks_number(&q, hints ? hints->ai_family : -1);
    asks_number(&q, hints ? hints->ai_socktype : -1);
    asks_number(&q, hints ? hints->ai_protocol : -1);
    if (!is_told(&q, out, &v)) {
        v.result = ask_system(out, node, service, hints);
        v.error = errno;
        keep(&q, out, v);
    }
    errno = v.error;
    return v.result;
}

EXPORT int getaddrinfo(const char *restrict node, const char *restrict service,
                       const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
    struct thr *t = self;
    struct packed all = {.used = 0};
    struct addrinfo *first = NULL, **next = &first;
    if (!t)
        return real.getaddrinfo(node, service, hints, out);
    struct call c = call_begin(t, "getaddrinfo");
    if (call_live(&c))
        CALL_MADE(c, ask_addresses(&all, node, service, hints));
    if (all.is_full)
        outcome_doubt(DOUBT_UNMODELLED_CALL, "getaddrinfo with so many addresses");
    call_keeps(&c, &all.used, sizeof all.used);
    call_keeps(&c, all.bytes, all.used);
    int result = (int)call_end(&c);
    if (result != 0)
        return result;
    for (uint64_t at = 0; at < all.used; next = &(*next)->ai_next) {
        *next = unpack(&c, &all, &at);
        if (!*next) {
            freeaddrinfo(first);
            return EAI_MEMORY;
        }
    }
    *out = first;
    call_tells(&c, out, sizeof *out);
    return 0;
}

static void keep_text(struct packed *p, const char *text)
{
    size_t len = strlen(text) + 1;
    p->is_full |= len > PACKED_BYTES - p->used;
    if (p->is_full)
        return;
    memcpy(p->bytes + p->used, text, len);
    p->used += len;
}

struct naming {
    const struct sockaddr *a;
    socklen_t len, host_len, service_len;
    char *host, *service;
    int flags;
};

/* What is wanted stands there, one behind the other; as far as they are in order. */
static void take_texts(const struct packed *p, const struct naming *n)
{
    const char *at = p->bytes, *end = p->bytes + p->used;
    if (n->host && n->host_len && at < end) {
        size_t len = strnlen(at, (size_t)(end - at)) + 1;
        memcpy(n->host, at, len <= n->host_len ? len : 0);
        at += len;
    }
    if (n->service && n->service_len && at < end) {
        size_t len = strnlen(at, (size_t)(end - at)) + 1;
        memcpy(n->service, at, len <= n->service_len ? len : 0);
    }
}

static int ask_name(const struct naming *n)
{
    struct thr *t = self;
    struct question q = {.used = 0};
    struct packed p = {.used = 0};
    struct verdict v;
    asks_text(&q, "name");
    asks(&q, n->a, n->len < sizeof(struct sockaddr_storage) ? n->len : 0);
    asks_number(&q, n->flags);
    asks_number(&q, n->host ? (int)n->host_len : 0);
    asks_number(&q, n->service ? (int)n->service_len : 0);
    if (is_told(&q, &p, &v)) {
        take_texts(&p, n);
        return v.result;
    }
    alloc_aside();
    self = NULL;
    v.result = real.getnameinfo(n->a, n->len, n->host, n->host_len, n->service, n->service_len,
                                n->flags);
    v.error = 0;
    self = t;
    alloc_aside_end();
    if (v.result == 0 && n->host && n->host_len)
        keep_text(&p, n->host);
    if (v.result == 0 && n->service && n->service_len)
        keep_text(&p, n->service);
    if (!(n->flags & NI_NUMERICHOST) && n->host)
        keep(&q, &p, v);
    return v.result;
}

EXPORT int getnameinfo(const struct sockaddr *restrict a, socklen_t len, char *restrict host,
                       socklen_t host_len, char *restrict service, socklen_t service_len,
                       int flags)
{
    struct thr *t = self;
    if (!t)
        return real.getnameinfo(a, len, host, host_len, service, service_len, flags);
    struct call c = call_begin(t, "getnameinfo");
    if (call_live(&c))
        CALL_MADE(
            c, ask_name(&(struct naming){a, len, host_len, service_len, host, service, flags}));
    bool has_host = c.result == 0 && host && host_len;
    bool has_service = c.result == 0 && service && service_len;
    call_fills(&c, host, c.live && has_host ? (int64_t)strlen(host) + 1 : 0);
    call_fills(&c, service, c.live && has_service ? (int64_t)strlen(service) + 1 : 0);
    return (int)call_end(&c);
}

/* ---- out of sight only ------------------------------------------------------------------- *
 * The answers are those of this machine, and libc's own memory. */

#define UNSEEN(type, name, parameters, arguments) \
    EXPORT type name parameters                   \
    {                                             \
        struct thr *t = self;                     \
        if (!t)                                   \
            return real.name arguments;           \
        alloc_aside();                            \
        self = NULL;                              \
        type found = real.name arguments;         \
        self = t;                                 \
        alloc_aside_end();                        \
        return found;                             \
    }

UNSEEN(struct passwd *, getpwnam, (const char *name), (name))
UNSEEN(struct passwd *, getpwuid, (uid_t id), (id))
UNSEEN(struct group *, getgrnam, (const char *name), (name))
UNSEEN(struct group *, getgrgid, (gid_t id), (id))
/* Into room of the caller's. */
#define UNSEEN_INTO(name, key, type)                                         \
    UNSEEN(int, name,                                                        \
           (key k, struct type *restrict p, char *restrict room, size_t len, \
            struct type **restrict out),                                     \
           (k, p, room, len, out))
UNSEEN_INTO(getpwnam_r, const char *restrict, passwd)
UNSEEN_INTO(getpwuid_r, uid_t, passwd)
UNSEEN_INTO(getgrnam_r, const char *restrict, group)
UNSEEN_INTO(getgrgid_r, gid_t, group)
UNSEEN(struct servent *, getservbyname, (const char *name, const char *protocol),
       (name, protocol))
UNSEEN(struct servent *, getservbyport, (int port, const char *protocol), (port, protocol))

/* ---- hosts, the old way ------------------------------------------------------------------ */

/* Of a host: the name and its others, each with its zero byte, then the addresses. */
struct host_head {
    int family, address_bytes;
    uint32_t names, addresses;
};

struct about {
    const char *name; /* or, if there is none, */
    const void *address;
    socklen_t len;
    int family;
};

static void pack_host(struct packed *p, const struct hostent *h)
{
    struct host_head head = {.family = h->h_addrtype, .address_bytes = h->h_length, .names = 1};
    p->used = sizeof head;
    keep_text(p, h->h_name);
    for (char **i = h->h_aliases; i && *i; i++, head.names++)
        keep_text(p, *i);
    for (char **i = h->h_addr_list; i && *i; i++, head.addresses++) {
        p->is_full |= (uint64_t)h->h_length > PACKED_BYTES - p->used;
        if (p->is_full)
            return;
        memcpy(p->bytes + p->used, *i, (size_t)h->h_length);
        p->used += (uint64_t)h->h_length;
    }
    memcpy(p->bytes, &head, sizeof head);
}

/* The result is what h_errno is to be; 0: found. */
static int ask_host(struct packed *out, const struct about *a)
{
    struct thr *t = self;
    struct hostent host, *found = NULL;
    static char room[PACKED_BYTES];
    int error = NO_RECOVERY;
    alloc_aside();
    self = NULL;
    if (a->name)
        real.gethostbyname2_r(a->name, a->family, &host, room, sizeof room, &found, &error);
    else
        real.gethostbyaddr_r(a->address, a->len, a->family, &host, room, sizeof room, &found,
                             &error);
    if (found)
        pack_host(out, found);
    self = t;
    alloc_aside_end();
    if (!found && error == TRY_AGAIN && rt.set.apart & APART_OVERLAY &&
        !(rt.set.apart & APART_NETWORK))
        outcome_doubt(DOUBT_OUTSIDE, "gethostbyname");
    return found ? 0 : error;
}

static int look_up_host(struct packed *out, const struct about *a)
{
    struct question q = {.used = 0};
    struct verdict v = {0, 0};
    if (a->name && needs_no_network(a->name))
        return ask_host(out, a);
    asks_text(&q, "host");
    asks_text(&q, a->name);
    asks(&q, a->address, a->address ? a->len : 0);
    asks_number(&q, a->family);
    if (!is_told(&q, out, &v)) {
        v.result = ask_host(out, a);
        keep(&q, out, v);
    }
    return v.result;
}

/* Lays it out in the room behind *host, as libc does; false: there is not enough. */
static bool unpack_host(const struct packed *p, struct hostent *host, char *room, size_t len)
{
    struct host_head h;
    memcpy(&h, p->bytes, sizeof h);
    size_t skip = -(uintptr_t)room % sizeof(char *);
    size_t places = (h.names + h.addresses + 1UL) * sizeof(char *);
    uint64_t bytes = p->used - sizeof h;
    if (len < skip || len - skip < places || len - skip - places < bytes)
        return false;
    char **names = (char **)(void *)(room + skip), **addresses = names + h.names;
    char *at = room + skip + places;
    memcpy(at, p->bytes + sizeof h, bytes);
    host->h_name = at;
    for (uint32_t i = 0; i < h.names; i++) {
        if (i > 0)
            names[i - 1] = at;
        at += strlen(at) + 1;
    }
    names[h.names - 1] = NULL;
    for (uint32_t i = 0; i < h.addresses; i++, at += h.address_bytes)
        addresses[i] = at;
    addresses[h.addresses] = NULL;
    host->h_aliases = names;
    host->h_addr_list = addresses;
    host->h_addrtype = h.family;
    host->h_length = h.address_bytes;
    return true;
}

static int host_into(struct thr *t, const char *name, const struct about *a,
                     struct hostent *host, char *room, size_t len, struct hostent **out,
                     int *error)
{
    struct packed p = {.used = 0};
    struct call c = call_begin(t, name);
    if (call_live(&c))
        CALL_MADE(c, look_up_host(&p, a));
    if (p.is_full)
        outcome_doubt(DOUBT_UNMODELLED_CALL, "gethostbyname with so many names");
    call_keeps(&c, &p.used, sizeof p.used);
    call_keeps(&c, p.bytes, p.used);
    int result = (int)call_end(&c);
    bool is_found = result == 0 && p.used >= sizeof(struct host_head);
    bool fits = is_found && unpack_host(&p, host, room, len);
    *out = fits ? host : NULL;
    *error = is_found ? (fits ? NETDB_SUCCESS : NETDB_INTERNAL) : result ? result : NO_RECOVERY;
    if (fits) {
        call_tells(&c, host, sizeof *host);
        call_tells(&c, room, len < p.used ? len : p.used);
    }
    return is_found && !fits ? ERANGE : *error == TRY_AGAIN ? EAGAIN : 0;
}

/* Where libc would have them in memory of its own: one for all threads. */
static struct hostent *host_of(struct thr *t, const char *name, const struct about *a)
{
    static struct hostent host;
    static _Alignas(char *) char room[2 * PACKED_BYTES];
    struct hostent *found;
    int error;
    host_into(t, name, a, &host, room, sizeof room, &found, &error);
    h_errno = error;
    return found;
}

#define HOST(name, parameters, arguments, ...)                                            \
    EXPORT struct hostent *name parameters                                                \
    {                                                                                     \
        struct thr *t = self;                                                             \
        return t ? host_of(t, #name, &(struct about){__VA_ARGS__}) : real.name arguments; \
    }

#define HOST_INTO(name, parameters, arguments, ...)                                         \
    EXPORT int name parameters                                                              \
    {                                                                                       \
        struct thr *t = self;                                                               \
        return t ? host_into(t, #name, &(struct about){__VA_ARGS__}, host, room, size, out, \
                             error)                                                         \
                 : real.name arguments;                                                     \
    }

HOST(gethostbyname, (const char *name), (name), .name = name, .family = AF_INET)
HOST(gethostbyname2, (const char *name, int family), (name, family), .name = name,
     .family = family)
HOST(gethostbyaddr, (const void *a, socklen_t len, int type), (a, len, type), .address = a,
     .len = len, .family = type)
HOST_INTO(gethostbyname_r,
          (const char *restrict name, struct hostent *restrict host, char *restrict room,
           size_t size, struct hostent **restrict out, int *restrict error),
          (name, host, room, size, out, error), .name = name, .family = AF_INET)
HOST_INTO(gethostbyname2_r,
          (const char *restrict name, int family, struct hostent *restrict host,
           char *restrict room, size_t size, struct hostent **restrict out,
           int *restrict error),
          (name, family, host, room, size, out, error), .name = name, .family = family)
HOST_INTO(gethostbyaddr_r,
          (const void *restrict a, socklen_t len, int type, struct hostent *restrict host,
           char *restrict room, size_t size, struct hostent **restrict out,
           int *restrict error),
          (a, len, type, host, room, size, out, error), .address = a, .len = len,
          .family = type)
