/* SPDX-License-Identifier: Apache-2.0
 *
 * io: see io.h. Input is mapped over an anonymous reservation that is one page longer, which
 * is where the readable zero bytes behind the end come from. */
#include "base/io.h"

#include "base/arena.h"
#include "base/column.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { LEND_BYTES = 1 << 20 }; /* a file from here on is worth leaving memory */

static size_t round_to_page(size_t len)
{
    return (len + 4095) & ~(size_t)4095;
}

int bytes_new(struct bytes *out, size_t len, struct err *err)
{
    size_t mapped = round_to_page(len) + IO_SLACK_BYTES;
    void *p = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return err_sys(err, "cannot get %zu bytes of memory", mapped);
    *out = (struct bytes){.at = p, .len = len, .mapped = mapped};
    return 0;
}

void bytes_done(struct bytes *b)
{
    if (b->mapped)
        column_lend_end(b->at);
    if (b->mapped)
        munmap((void *)(uintptr_t)b->at, b->mapped);
    *b = (struct bytes){0};
}

static int read_stream(struct bytes *out, int fd, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    size_t len = 0;
    if (bytes_new(&b, 1 << 20, err) < 0)
        return -1;
    for (;;) {
        if (len == b.len) {
            struct bytes bigger;
            if (bytes_new(&bigger, 2 * b.len, err) < 0)
                return -1;
            memcpy((void *)(uintptr_t)bigger.at, b.at, len);
            bytes_done(&b);
            b = bigger;
        }
        ssize_t n = read(fd, (uint8_t *)(uintptr_t)b.at + len, b.len - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "read");
        if (n == 0)
            break;
        len += (size_t)n;
    }
    *out = b;
    out->len = len;
    b.mapped = 0;
    return 0;
}

int bytes_read(struct bytes *out, const char *path, struct err *err)
{
    if (strcmp(path, "-") == 0)
        return read_stream(out, STDIN_FILENO, err) < 0 ? err_in(err, "standard input") : 0;
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, "%s", path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, "%s: is a directory", path);
    if (!S_ISREG(st.st_mode))
        return read_stream(out, fd, err) < 0 ? err_in(err, "%s", path) : 0;

    AUTO(bytes) struct bytes b = {0};
    if (bytes_new(&b, (size_t)st.st_size, err) < 0)
        return err_in(err, "%s", path);
    if (b.len > 0 && mmap((void *)(uintptr_t)b.at, b.len, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                          fd, 0) == MAP_FAILED)
        return err_sys(err, "%s", path);
    if (b.len >= LEND_BYTES)
        column_lend(b.at, b.len);
    *out = b;
    b.mapped = 0;
    return 0;
}

static int write_all(int fd, const uint8_t *data, size_t len, struct err *err)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "write");
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

int file_write(const char *path, const void *data, size_t len, struct err *err)
{
    if (strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, data, len, err);
    struct stat st;
    bool is_there = stat(path, &st) == 0, special = is_there && !S_ISREG(st.st_mode);
    char temp[4096];
    if (snprintf(temp, sizeof temp, special ? "%s" : "%s.part", path) >= (int)sizeof temp)
        return err_set(err, "%.100s...: path too long", path);
    AUTO(fd) int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(err, "%s", path);
    if (write_all(fd, data, len, err) < 0) {
        if (!special)
            unlink(temp);
        return err_in(err, "%s", path);
    }
    if (is_there && !special && fchmod(fd, st.st_mode & 07777) < 0) /* it stays what it was */
        return err_sys(err, "%s", path);
    if (!special && rename(temp, path) < 0)
        return err_sys(err, "%s", path);
    return 0;
}

int directory_make(const char *path, struct err *err)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return err_sys(err, "%s", path);
    return 0;
}
