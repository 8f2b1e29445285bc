/* SPDX-License-Identifier: Apache-2.0
 *
 * pieces: calls that write what lies in several places: an array of iovecs, or a message that
 * refers to one. The array is read, and what it refers to. */
#include "rt/libc.h"

#include <sys/socket.h>

enum { IOVECS_MAX = 1024 };

static void reads(struct libc_call *c, const void *addr, uint64_t len)
{
    if (!addr || !len)
        return;
    libc_point(c, EV_READ_RANGE, addr, len);
    libc_reads(c, addr, len);
}

static void reads_all(struct libc_call *c, const struct iovec *v, uint64_t count)
{
    if (count > IOVECS_MAX)
        return;
    reads(c, v, count * sizeof *v);
    for (uint64_t i = 0; i < count; i++)
        reads(c, v[i].iov_base, v[i].iov_len);
}

void pieces_tell(struct libc_call *c, char which, uint32_t at, uint64_t count)
{
    const void *p = (const void *)(uintptr_t)c->args->at[at];
    const struct msghdr *m = p;
    if (which == 'v') {
        reads_all(c, p, count);
        return;
    }
    reads(c, m, sizeof *m);
    reads(c, m->msg_name, m->msg_namelen);
    reads(c, m->msg_control, m->msg_controllen);
    reads_all(c, m->msg_iov, m->msg_iovlen);
}
