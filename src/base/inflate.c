/* SPDX-License-Identifier: Apache-2.0
 *
 * inflate: packed files. The only place that knows zlib and libzstd. Packed input is
 * untrusted: the result is bounded, and a file that stops early is an error, not a shorter
 * text, because nothing tells how much of it is missing. */
#include "base/io.h"

#include "base/arena.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* 100 million events in STD text are about 1.5 GB; an archive bomb is stopped here. */
#define UNPACKED_MAX_BYTES ((size_t)64 << 30)

static int grow(struct bytes *b, size_t used, struct err *err)
{
    if (b->len >= UNPACKED_MAX_BYTES)
        return err_set(err, "unpacks to more than %zu GiB", UNPACKED_MAX_BYTES >> 30);
    struct bytes bigger;
    if (bytes_new(&bigger, b->len * 2, err) < 0)
        return -1;
    memcpy((void *)(uintptr_t)bigger.at, b->at, used);
    bytes_done(b);
    *b = bigger;
    return 0;
}

static int unpack_gzip(const struct bytes *in, struct bytes *out, struct err *err)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)in->at};
    size_t left = in->len, used = 0;
    if (inflateInit2(&z, 15 + 32) != Z_OK)
        return err_set(err, "zlib: no memory");
    int state = Z_OK, failed = 0;
    while (!failed) {
        if (z.avail_in == 0) {
            z.avail_in = left > (1u << 30) ? 1u << 30 : (uInt)left;
            left -= z.avail_in;
        }
        if (state == Z_STREAM_END) { /* another member may follow, or padding */
            if (z.avail_in == 0 || *z.next_in == 0)
                break;
            inflateReset(&z);
        }
        if (used == out->len && (failed = grow(out, used, err)) < 0)
            break;
        size_t room = out->len - used;
        z.next_out = (uint8_t *)(uintptr_t)out->at + used;
        z.avail_out = room > (1u << 30) ? 1u << 30 : (uInt)room;
        uInt before = z.avail_out;
        state = inflate(&z, Z_NO_FLUSH);
        used += before - z.avail_out;
        if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
            failed = err_set(err, "corrupt gzip data: %s", z.msg ? z.msg : "unknown");
        else if (state != Z_STREAM_END && z.avail_in == 0 && left == 0 && z.avail_out > 0)
            failed = err_set(err, "gzip data ends early: the file is truncated");
    }
    inflateEnd(&z);
    out->len = used;
    return failed;
}

static int unpack_zstd(const struct bytes *in, struct bytes *out, struct err *err)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    if (!z)
        return err_set(err, "zstd: no memory");
    ZSTD_inBuffer from = {in->at, in->len, 0};
    size_t used = 0, state = 1;
    int failed = 0;
    while (!failed && !(state == 0 && from.pos == from.size)) {
        if (used == out->len && (failed = grow(out, used, err)) < 0)
            break;
        ZSTD_outBuffer to = {(uint8_t *)(uintptr_t)out->at, out->len, used};
        state = ZSTD_decompressStream(z, &to, &from);
        used = to.pos;
        if (ZSTD_isError(state))
            failed = err_set(err, "corrupt zstd data: %s", ZSTD_getErrorName(state));
        else if (from.pos == from.size && used < out->len)
            break;
    }
    ZSTD_freeDStream(z);
    if (!failed && state != 0)
        failed = err_set(err, "zstd data ends early: the file is truncated");
    out->len = used;
    return failed;
}

int bytes_unpack(struct bytes *b, struct err *err)
{
    bool gzip = b->len >= 2 && b->at[0] == 0x1f && b->at[1] == 0x8b;
    bool zstd = b->len >= 4 && memcmp(b->at, "\x28\xb5\x2f\xfd", 4) == 0;
    if (!gzip && !zstd)
        return 0;
    AUTO(bytes) struct bytes out = {0};
    if (bytes_new(&out, b->len * 4 + (1 << 16), err) < 0)
        return -1;
    if ((gzip ? unpack_gzip(b, &out, err) : unpack_zstd(b, &out, err)) < 0)
        return -1;
    memset((uint8_t *)(uintptr_t)out.at + out.len, 0, IO_SLACK_BYTES);
    bytes_done(b);
    *b = out;
    out.mapped = 0;
    return 0;
}

/* A level that is slow to pack: a trace that is packed is kept. The checksum is what finds
 * damage later; without it damaged data may unpack to something else. */
enum { PACK_LEVEL = 12 };

int bytes_pack_zstd(const struct bytes *in, struct bytes *out, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    ZSTD_CCtx *z = ZSTD_createCCtx();
    if (!z)
        return err_set(err, "zstd: no memory");
    if (bytes_new(&b, ZSTD_compressBound(in->len), err) < 0) {
        ZSTD_freeCCtx(z);
        return -1;
    }
    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, PACK_LEVEL);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    size_t len = ZSTD_compress2(z, (void *)(uintptr_t)b.at, b.len, in->at, in->len);
    ZSTD_freeCCtx(z);
    if (ZSTD_isError(len))
        return err_set(err, "zstd: %s", ZSTD_getErrorName(len));
    *out = b;
    out->len = len;
    b.mapped = 0;
    return 0;
}
