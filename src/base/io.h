/* SPDX-License-Identifier: Apache-2.0
 *
 * io: whole files in and out. A file read is a stretch of bytes that may be over-read by
 * IO_SLACK_BYTES zero bytes, so that decoders need not test every byte against the end. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

enum { IO_SLACK_BYTES = 16384 };

struct bytes {
    const uint8_t *at; /* owned: a mapping of `mapped` bytes */
    size_t len;
    size_t mapped; /* 0: nothing to release */
};

/* Maps the file; one that cannot be mapped (a pipe) is read to its end. "-" is stdin. */
int bytes_read(struct bytes *out, const char *path, struct err *err);
/* Fresh zeroed memory of len bytes plus slack. */
int bytes_new(struct bytes *out, size_t len, struct err *err);
void bytes_done(struct bytes *b);

/* gzip and zstd are recognised by content and unpacked in place; anything else is left as it
 * is. */
int bytes_unpack(struct bytes *b, struct err *err);
int bytes_pack_zstd(const struct bytes *in, struct bytes *out, struct err *err);

/* Writes beside the target and renames: a reader never meets half a file. "-" is stdout. */
int file_write(const char *path, const void *data, size_t len, struct err *err);

/* Makes it unless it is there. */
int directory_make(const char *path, struct err *err);

static inline void auto_bytes(struct bytes *b)
{
    bytes_done(b);
}

static inline void auto_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline int take_fd(int *fd)
{
    int f = *fd;
    *fd = -1;
    return f;
}

#endif
