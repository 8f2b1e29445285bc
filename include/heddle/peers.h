/* SPDX-License-Identifier: Apache-2.0
 *
 * peers: what came to a run from outside, through connections or as datagrams, and when it
 * could come; and what it was told about names. The runtime of a recorded run writes it; that
 * of another run plays it.
 *
 * The file is a head and steps. Behind a step stand `needs` conditions: so many bytes the
 * target had sent through a connection before; and `bytes` bytes, padded with zeros to a
 * multiple of 8. Those of a call are the address that the target connected to (`at` bytes) and
 * its own one. Those of a look-up are the length of the question (4 bytes), it, and the
 * answer. All fields are little-endian. A file that ends in the middle of a step ends
 * before it. */
#ifndef HEDDLE_PEERS_H
#define HEDDLE_PEERS_H

#include <stdint.h>

#define PEERS_MAGIC 0x3153524545504448ULL /* "HDPEERS1" */

enum peer_what {
    PEER_CONNECTS, /* bytes: none; `at` is the listening socket, by the order of listen */
    PEER_SENDS,
    PEER_ENDS, /* it sends no more */
    PEER_RESETS,
    PEER_SIGNALS,  /* the process gets a signal: `at` is its number */
    PEER_KNOWN,    /* no step: who the connection is, by datagrams; bytes: its address */
    PEER_DATAGRAM, /* `at` is the socket for datagrams, by the order in which they were made */
    PEER_LOOKUP,   /* no step: what was asked about a name, and the answer (lookup.c) */
    PEER_CALLED,   /* no step: the target connects to him; bytes: addresses */
    PEER_REFUSES,  /* no step: and he does not let it in; `at` is the error */
    PEER_WHATS
};

struct peer_head {
    uint64_t magic;
};

struct peer_step {
    uint32_t what, connection, at, needs;
    uint64_t bytes;
};

/* By what these bytes were it is known whether the answer is one to them. */
struct peer_need {
    uint32_t connection, hash; /* of the bytes, peer_hash; 0: not known */
    uint64_t sent;
};

#define PEER_HASH 0x811c9dc5U

static inline uint32_t peer_hash(uint32_t hash, uint8_t byte)
{
    hash = (hash ^ byte) * 0x01000193U;
    return hash ? hash : 1;
}

_Static_assert(sizeof(struct peer_step) == 24 && sizeof(struct peer_need) == 16, "on disk");

#endif
