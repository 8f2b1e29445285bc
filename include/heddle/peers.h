/* SPDX-License-Identifier: Apache-2.0
 *
 * peers: what came to a run through connections from outside, and when it could come. The
 * runtime of a recorded run writes it; that of another run plays it.
 *
 * The file is a head and steps. Behind a step stand `needs` conditions: so many bytes the
 * target had sent through a connection before; and `bytes` bytes, padded with zeros to a
 * multiple of 8. All fields are little-endian. A file that ends in the middle of a step ends
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
    PEER_SIGNALS, /* the process gets a signal: `at` is its number */
    PEER_WHATS
};

struct peer_head {
    uint64_t magic;
};

struct peer_step {
    uint32_t what, connection, at, needs;
    uint64_t bytes;
};

struct peer_need {
    uint64_t connection, sent;
};

_Static_assert(sizeof(struct peer_step) == 24 && sizeof(struct peer_need) == 16, "on disk");

#endif
