/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-lookup: names of hosts, services and users. What libc does to find them out depends on
 * the machine, the network and on what was asked before, and it keeps things for the next time.
 * So it happens out of the target's sight, with memory of its own (hook-alloc.c). What is said
 * about hosts is in the log, since a replay may have another network, or none: the target gets
 * blocks of the same form as from libc, which frees them one by one. */
#include "rt/rt.h"
#include "rt/real.h"

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

static int ask_addresses(struct packed *out, const char *node, const char *service,
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

EXPORT int getnameinfo(const struct sockaddr *restrict a, socklen_t len, char *restrict host,
                       socklen_t host_len, char *restrict service, socklen_t service_len,
                       int flags)
{
    struct thr *t = self;
    if (!t)
        return real.getnameinfo(a, len, host, host_len, service, service_len, flags);
    struct call c = call_begin(t, "getnameinfo");
    if (call_live(&c)) {
        alloc_aside();
        self = NULL;
        CALL_MADE(c, real.getnameinfo(a, len, host, host_len, service, service_len, flags));
        self = t;
        alloc_aside_end();
    }
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

/* ---- hosts, the old way ------------------------------------------------------------------ *
 * What they say is not in the log, so that is told. */

static void name_host_call(const char *name, int error)
{
    static bool is_named;
    if (!is_named)
        outcome_doubt(DOUBT_UNMODELLED_CALL, name);
    is_named = true;
    if (error == TRY_AGAIN && rt.set.apart & APART_OVERLAY && !(rt.set.apart & APART_NETWORK))
        outcome_doubt(DOUBT_OUTSIDE, name);
}

#define HOST(type, name, parameters, arguments, error) \
    EXPORT type name parameters                        \
    {                                                  \
        struct thr *t = self;                          \
        if (!t)                                        \
            return real.name arguments;                \
        alloc_aside();                                 \
        self = NULL;                                   \
        type found = real.name arguments;              \
        self = t;                                      \
        alloc_aside_end();                             \
        name_host_call(#name, error);                  \
        return found;                                  \
    }

HOST(struct hostent *, gethostbyname, (const char *name), (name), found ? 0 : h_errno)
HOST(struct hostent *, gethostbyname2, (const char *name, int family), (name, family),
     found ? 0 : h_errno)
HOST(struct hostent *, gethostbyaddr, (const void *a, socklen_t len, int type), (a, len, type),
     found ? 0 : h_errno)
HOST(int, gethostbyname_r,
     (const char *restrict name, struct hostent *restrict host, char *restrict room, size_t len,
      struct hostent **restrict out, int *restrict error),
     (name, host, room, len, out, error), *out ? 0 : *error)
HOST(int, gethostbyname2_r,
     (const char *restrict name, int family, struct hostent *restrict host, char *restrict room,
      size_t len, struct hostent **restrict out, int *restrict error),
     (name, family, host, room, len, out, error), *out ? 0 : *error)
HOST(int, gethostbyaddr_r,
     (const void *restrict a, socklen_t a_len, int type, struct hostent *restrict host,
      char *restrict room, size_t len, struct hostent **restrict out, int *restrict error),
     (a, a_len, type, host, room, len, out, error), *out ? 0 : *error)
