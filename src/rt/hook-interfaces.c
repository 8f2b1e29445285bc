/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-interfaces: getifaddrs. What the system says is kept as one block in which places are
 * said by their distance from its beginning; the target gets a copy with addresses. libc frees
 * it in one piece, so it is one piece. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { PACKED_BYTES = 12288, STATISTICS_BYTES = 23 * 4 };

struct packed {
    _Alignas(struct ifaddrs) char bytes[PACKED_BYTES];
    uint64_t used;
    bool is_full;
};

static size_t address_bytes(const struct sockaddr *a)
{
    switch (a->sa_family) {
    case AF_INET:
        return sizeof(struct sockaddr_in);
    case AF_INET6:
        return sizeof(struct sockaddr_in6);
    case AF_PACKET:
        return sizeof(struct sockaddr_ll);
    default:
        return sizeof *a;
    }
}

/* Its distance, or null if there is nothing or no room. */
static void *pack(struct packed *p, const void *from, size_t len)
{
    uint64_t at = p->used, more = (len + 7) & ~(uint64_t)7;
    p->is_full |= from && more > PACKED_BYTES - at;
    if (!from || p->is_full)
        return NULL;
    memcpy(p->bytes + at, from, len);
    p->used = at + more;
    return (void *)(uintptr_t)at;
}

static void *pack_address(struct packed *p, const struct sockaddr *a)
{
    return pack(p, a, a ? address_bytes(a) : 0);
}

/* The first of the list comes first; the last is followed by none. */
static void pack_all(struct packed *p, const struct ifaddrs *list)
{
    struct ifaddrs *last = NULL;
    for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
        uint64_t begin = p->used;
        struct ifaddrs *now = (struct ifaddrs *)(void *)(p->bytes + begin);
        pack(p, i, sizeof *i);
        if (p->is_full)
            return;
        bool is_packet = i->ifa_addr && i->ifa_addr->sa_family == AF_PACKET;
        now->ifa_next = NULL;
        now->ifa_name = pack(p, i->ifa_name, strlen(i->ifa_name) + 1);
        now->ifa_addr = pack_address(p, i->ifa_addr);
        now->ifa_netmask = pack_address(p, i->ifa_netmask);
        now->ifa_ifu.ifu_broadaddr = pack_address(p, i->ifa_ifu.ifu_broadaddr);
        now->ifa_data = is_packet ? pack(p, i->ifa_data, STATISTICS_BYTES) : NULL;
        if (p->is_full) {
            p->used = begin;
            return;
        }
        if (last)
            last->ifa_next = (struct ifaddrs *)(uintptr_t)begin;
        last = now;
    }
}

static void *place_of(char *block, const void *distance)
{
    return distance ? block + (uintptr_t)distance : NULL;
}

static void unpack(char *block)
{
    for (struct ifaddrs *i = (struct ifaddrs *)(void *)block; i; i = i->ifa_next) {
        i->ifa_next = place_of(block, i->ifa_next);
        i->ifa_name = place_of(block, i->ifa_name);
        i->ifa_addr = place_of(block, i->ifa_addr);
        i->ifa_netmask = place_of(block, i->ifa_netmask);
        i->ifa_ifu.ifu_broadaddr = place_of(block, i->ifa_ifu.ifu_broadaddr);
        i->ifa_data = place_of(block, i->ifa_data);
    }
}

/* Out of the target's sight. */
static int ask(struct packed *out)
{
    struct thr *t = self;
    struct ifaddrs *list = NULL;
    alloc_aside();
    self = NULL;
    int result = real.getifaddrs(&list), error = errno;
    if (result == 0) {
        pack_all(out, list);
        freeifaddrs(list);
    }
    self = t;
    alloc_aside_end();
    errno = error;
    return result;
}

EXPORT int getifaddrs(struct ifaddrs **out)
{
    struct thr *t = self;
    struct packed all = {.used = 0};
    if (!t)
        return real.getifaddrs(out);
    struct call c = call_begin(t, "getifaddrs");
    if (call_live(&c))
        CALL_MADE(c, ask(&all));
    if (all.is_full)
        outcome_doubt(DOUBT_UNMODELLED_CALL, "getifaddrs with so many addresses");
    call_keeps(&c, &all.used, sizeof all.used);
    call_keeps(&c, all.bytes, all.used);
    if (call_end(&c) < 0)
        return -1;
    char *block = all.used ? malloc(all.used) : NULL;
    if (all.used && !block) {
        errno = ENOMEM;
        return -1;
    }
    if (block) {
        memcpy(block, all.bytes, all.used);
        unpack(block);
        call_tells(&c, block, all.used);
    }
    *out = (struct ifaddrs *)(void *)block;
    call_tells(&c, out, sizeof *out);
    return 0;
}
