// SPDX-License-Identifier: Apache-2.0
// Immutable chunks of bytes that several senders share.
#ifndef BLOB_H
#define BLOB_H

#include <stdatomic.h>
#include <stddef.h>

struct blob {
    atomic_int refs;
    size_t size;
    unsigned char *data;
};

struct blob *blob_new(const char *text);
struct blob *blob_get(struct blob *b);
void blob_put(struct blob *b);

/* How many were made, and how many were given back to the allocator. */
int blob_made(void);
int blob_freed(void);

#endif
