/* SPDX-License-Identifier: Apache-2.0
 *
 * stdin: our standard input, the same for every run. A file is opened once more for each of
 * them. What comes through a pipe comes once: it is kept as it comes, and every run gets a pipe
 * of its own with all of it. No more is asked for than some run has taken: a pipe that nobody
 * writes to, and nobody closes, holds up nobody who does not read from it. */
#include "run/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE_BYTES = 65536 };
#define KEPT_MAX_BYTES ((size_t)1 << 28)

static struct {
    bool is_shared;
    bool is_stream;  /* else a file, or nothing that ends */
    off_t start;     /* of a file: where it stood */
    struct str kept; /* of a stream */
    bool has_ended;  /* the stream */
    bool is_full;    /* there was more of it than is kept */
} shared;

/* A file that cannot be opened once more is read as a pipe is. */
void run_share_stdin(void)
{
    struct stat st;
    if (shared.is_shared || fstat(STDIN_FILENO, &st) < 0)
        return;
    shared.is_shared = true;
    shared.is_stream = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
    if (S_ISREG(st.st_mode)) {
        AUTO(fd) int again = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
        shared.start = lseek(STDIN_FILENO, 0, SEEK_CUR);
        shared.is_stream = again < 0 || shared.start < 0;
    }
}

static int open_again(struct err *err)
{
    AUTO(fd) int fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || lseek(fd, shared.start, SEEK_SET) < 0)
        return err_sys(err, "stdin");
    return take_fd(&fd);
}

static int open_pipe(struct run_live *r, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_sys(err, "pipe");
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    r->to = ends[1];
    stdin_give(r); /* all that is known already is there before its first instruction */
    return ends[0];
}

int stdin_open(struct run_live *r, struct err *err)
{
    struct stat st;
    if (r->opts.input) {
        int fd = open(r->opts.input, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? err_sys(err, "%s", r->opts.input) : fd;
    }
    if (fstat(STDIN_FILENO, &st) < 0)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (shared.is_shared && shared.is_stream)
        return open_pipe(r, err);
    if (shared.is_shared && S_ISREG(st.st_mode))
        return open_again(err);
    return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

/* ---- while it runs ---------------------------------------------------------------------- */

short stdin_wants(const struct run_live *r)
{
    return r->to >= 0 && r->given < shared.kept.len ? POLLOUT : 0;
}

bool stdin_needs_more(const struct run_live *r)
{
    return r->to >= 0 && r->given == shared.kept.len && !shared.has_ended;
}

void stdin_take(void)
{
    char buf[PIECE_BYTES];
    ssize_t n = read(STDIN_FILENO, buf, sizeof buf);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n > 0)
        str_bytes(&shared.kept, buf, (size_t)n);
    shared.is_full = shared.kept.len > KEPT_MAX_BYTES;
    shared.has_ended = n <= 0 || shared.is_full;
}

/* Who does not read any more must not be our end. */
static ssize_t write_quietly(int fd, const char *at, size_t len)
{
    sigset_t pipe, before;
    struct timespec now = {0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe, &before);
    ssize_t n = write(fd, at, len);
    int error = errno;
    if (n < 0 && error == EPIPE)
        sigtimedwait(&pipe, NULL, &now);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return n;
}

void stdin_give(struct run_live *r)
{
    ssize_t n = 0;
    while (r->given < shared.kept.len && n >= 0) {
        n = write_quietly(r->to, shared.kept.at + r->given, shared.kept.len - r->given);
        r->given += n > 0 ? (size_t)n : 0;
    }
    bool is_closed = n < 0 && errno != EAGAIN && errno != EINTR;
    if (is_closed || (r->given == shared.kept.len && shared.has_ended))
        stdin_close(r);
}

void stdin_close(struct run_live *r)
{
    if (r->to >= 0)
        close(r->to);
    r->to = -1;
}

int stdin_check(struct err *err)
{
    if (!shared.is_full)
        return 0;
    return err_set(err,
                   "stdin: more than %zu MB came through a pipe, which is kept for all runs; "
                   "give it as a file",
                   KEPT_MAX_BYTES >> 20);
}
