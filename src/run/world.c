/* SPDX-License-Identifier: Apache-2.0
 *
 * world: where a run works. It has a world of its own where the system allows it (keeper.c):
 * the same paths as outside, and what it does to files, shared memory, queues, ports and
 * processes is seen by nobody else and gone with it. Where that is not allowed it works in a
 * private copy of the directory, and shares everything else.
 *
 * A world is made when a run begins, not before: it shows what is there at that moment. It
 * stays until the next one begins, so that what the run has left can be looked at. */
#include "run/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct run_world {
    struct str from;       /* where its runs work */
    struct run_copy *copy; /* NULL: worlds are allowed */
    struct str files;      /* of the run that it was made for */
    struct str disk;       /* where its changes lie, if not in memory */
    struct str before;     /* old contents that it begins with; empty: what is there */
    run_doubts doubts;     /* about these */
    bool is_restored;      /* copy: they are there */
    int socket, init;      /* of its first process: to talk to it; a descriptor of it */
    pid_t pid;             /* and its id; 0: there is none */
    int flags;             /* the namespaces to enter */
    bool is_used;          /* a run has begun in it */
    bool is_untouched;     /* and has ended, and left no trace */
    bool has_network;      /* the one outside */
};

/* Who makes them. */
static struct {
    pid_t pid; /* 0: nobody was started, or he is gone */
    int socket;
    bool is_known; /* whether there can be worlds: */
    bool is_able;
    bool is_user;
    struct str disk; /* where changes lie, if not in memory */
    struct err why;  /* not */
    uint32_t made;
} keeper;

static bool is_soiled;    /* runs in copies share what one of them has changed elsewhere */
static struct str before; /* what new worlds begin with; empty: what is there */

/* ---- the keeper ------------------------------------------------------------------------- */

/* Earlier than needed: it costs less while we are small. */
static void run_worlds_start(void)
{
    const char *said = getenv("HEDDLE_WORLD");
    if (keeper.pid || keeper.is_known)
        return;
    keeper.is_known = said && strcmp(said, "copy") == 0;
    if (keeper.is_known)
        err_set(&keeper.why, "HEDDLE_WORLD=copy");
    else
        keeper.pid = keeper_start(&keeper.socket, &keeper.why);
    if (keeper.pid < 0) {
        keeper.pid = 0;
        keeper.is_known = true;
    }
}

static void end_keeper(void)
{
    if (!keeper.pid)
        return;
    close(keeper.socket);
    for (pid_t pid = 0; pid != keeper.pid;) { /* a world goes when nobody waits for its runs */
        pid = waitpid(-1, NULL, 0);
        if (pid < 0 && errno != EINTR)
            break;
    }
    keeper.pid = 0;
}

static ssize_t receive(int from, char *text, size_t cap)
{
    ssize_t n;
    do
        n = recv(from, text, cap - 1, 0);
    while (n < 0 && errno == EINTR);
    text[n > 0 ? n : 0] = 0;
    return n;
}

bool run_worlds(const char **why)
{
    char said[sizeof keeper.why.text];
    run_worlds_start();
    if (!keeper.is_known) {
        ssize_t n = receive(keeper.socket, said, sizeof said);
        keeper.is_known = true;
        keeper.is_able = n >= 2 && said[0] != '!';
        keeper.is_user = said[1] == 'u';
        if (keeper.is_able && said[0] == 'd')
            str_add(&keeper.disk, "%s", said + 2);
        if (!keeper.is_able)
            err_set(&keeper.why, "%s", n > 1 ? said + 1 : "their keeper died");
    }
    if (why)
        *why = keeper.is_able ? (keeper.disk.len ? keeper.disk.at : "") : keeper.why.text;
    return keeper.is_able;
}

/* ---- one world -------------------------------------------------------------------------- */

/* Its processes end with the first one. */
static void unmake(struct run_world *w)
{
    if (!w->pid)
        return;
    close(w->socket);
    struct pollfd ended = {.fd = w->init, .events = POLLIN};
    if (w->disk.len)
        while (poll(&ended, 1, -1) < 0 && errno == EINTR)
            ;
    close(w->init);
    if (w->disk.len)
        run_remove_tree(w->disk.at);
    w->pid = 0;
    w->is_used = w->is_untouched = false;
}

static int ask(struct run_world *w, int theirs, struct err *err)
{
    AUTO(str) struct str request = {0};
    int32_t pid = 0;
    w->disk.len = 0;
    if (keeper.disk.len) {
        str_add(&w->disk, "%s/%u", keeper.disk.at, ++keeper.made);
        if (mkdir(w->disk.at, 0700) < 0)
            return err_sys(err, "%s", w->disk.at);
    }
    w->flags = WORLD_FLAGS & ~(w->has_network ? CLONE_NEWNET : 0);
    struct mount_wish wish = {w->flags, w->files.len ? w->files.at : "",
                              w->disk.len ? w->disk.at : "", w->from.at,
                              w->before.len ? w->before.at : ""};
    wish_write(&request, &wish);
    if (packet_send(keeper.socket, &request, &theirs, 1) < 0)
        return err_sys(err, "the keeper of worlds is gone");
    ssize_t n;
    do
        n = recv(keeper.socket, &pid, sizeof pid, 0);
    while (n < 0 && errno == EINTR);
    if (n != sizeof pid)
        return err_set(err, "the keeper of worlds is gone");
    if (pid < 0) {
        errno = -pid;
        return err_sys(err, "cannot make a world for a run");
    }
    w->pid = pid;
    w->flags |= keeper.is_user ? CLONE_NEWUSER : 0;
    return 0;
}

/* The first process has mounted everything. */
static int hear(struct run_world *w, struct err *err)
{
    char said[sizeof err->text];
    ssize_t n = receive(w->socket, said, sizeof said);
    if (n <= 0)
        return err_set(err, "the first process of a run's world died");
    if (strcmp(said, "ready") != 0)
        return err_set(err, "cannot make a world for a run: %s", said);
    return 0;
}

static int make(struct run_world *w, struct err *err)
{
    int ends[2];
    unmake(w);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(err, "socket");
    int failed = ask(w, ends[1], err);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return -1;
    }
    w->socket = ends[0];
    w->init = (int)syscall(SYS_pidfd_open, w->pid, 0);
    if (hear(w, err) == 0 && w->init >= 0)
        return 0;
    unmake(w);
    return -1;
}

/* The directory that is to be the real one, so that the runtime can write there: that of all
 * results of the program, if the run's is in there. Then the next run finds its own too. */
static void add_real(struct str *out, const char *files)
{
    static const char mark[] = ".heddle/";
    const char *end = strstr(files, mark);
    str_bytes(out, files, end ? (size_t)(end - files) + sizeof mark - 2 : strlen(files));
}

static int prepare_copy(struct run_world *w, bool is_fresh, struct err *err)
{
    if (is_fresh && w->is_restored)
        return 0;
    if (!is_fresh && copy_reset(w->copy, err) < 0)
        return -1;
    w->is_restored = true;
    return w->before.len == 0
               ? 0
               : before_restore(w->before.at, w->from.at, copy_path(w->copy), err);
}

/* It is as if no run had been there; files: the directory of those of the next one. */
static int world_prepare(struct run_world *w, const char *files, struct err *err)
{
    bool is_fresh = !w->is_used;
    w->is_used = false;
    if (w->copy)
        return prepare_copy(w, is_fresh, err);
    AUTO(str) struct str real = {0};
    add_real(&real, files);
    if (w->pid && (is_fresh || w->is_untouched) && strcmp(w->files.at, real.at) == 0)
        return 0;
    w->files.len = 0;
    str_add(&w->files, "%s", real.at);
    return make(w, err);
}

int world_begin(struct run_world *w, const char *files, struct err *err)
{
    if (world_prepare(w, files, err) < 0)
        return -1;
    w->is_untouched = false;
    w->is_used = true;
    return 0;
}

void world_end(struct run_world *w)
{
    char said[16];
    struct str word = {.at = said, .len = 1};
    said[0] = 'e';
    if (w->pid && packet_send(w->socket, &word, NULL, 0) == 0)
        w->is_untouched = receive(w->socket, said, sizeof said) == 1;
}

int world_descriptor(const struct run_world *w, int *flags)
{
    *flags = w->pid ? w->flags : 0;
    return w->pid ? w->init : -1;
}

unsigned world_apart(const struct run_world *w)
{
    enum { OVERLAY = 1, SPLIT = 2, NETWORK = 4, COPY = 8 };
    if (w->copy)
        return COPY | NETWORK;
    return OVERLAY | (keeper.is_user ? SPLIT : 0) | (w->has_network ? NETWORK : 0);
}

static bool has_doubt(const run_doubts *all, enum doubt why)
{
    for (uint32_t i = 0; i < all->len; i++)
        if (all->at[i].why == why)
            return true;
    return false;
}

/* What a run in a copy has done elsewhere the next ones find, whatever they do themselves. */
void world_judged(const struct run_world *w, const struct run_result *r)
{
    is_soiled |= w->copy && has_doubt(&r->doubts, DOUBT_NOT_RESET);
}

bool world_is_soiled(const struct run_world *w)
{
    return w->copy && is_soiled;
}

const char *world_from(const struct run_world *w)
{
    return w->from.at;
}

const char *world_before(const struct run_world *w)
{
    return w->before.len ? w->before.at : NULL;
}

const run_doubts *world_doubts(const struct run_world *w)
{
    return &w->doubts;
}

/* ---- the face --------------------------------------------------------------------------- */

void run_begins_before(const char *run)
{
    AUTO(str) struct str path = {0};
    char full[PATH_MAX];
    str_add(&path, "%s/before", run);
    before.len = 0;
    if (run[0] && realpath(path.at, full))
        str_add(&before, "%s", full);
}

int run_world_open(struct run_world **out, const char *from, struct err *err)
{
    char full[PATH_MAX];
    if (!realpath(from, full))
        return err_sys(err, "%s", from);
    struct run_world *w = mem_zeroed(1, sizeof *w);
    str_add(&w->from, "%s", full);
    if (!run_worlds(NULL) && copy_open(&w->copy, full, err) < 0) {
        run_world_close(w);
        return -1;
    }
    if (before.len) {
        str_add(&w->before, "%s", before.at);
        before_doubts(w->before.at, w->copy ? w->from.at : NULL, &w->doubts);
    }
    *out = w;
    return 0;
}

void run_world_close(struct run_world *w)
{
    if (!w)
        return;
    unmake(w);
    copy_close(w->copy);
    str_done(&w->from);
    str_done(&w->files);
    str_done(&w->disk);
    str_done(&w->before);
    run_doubts_done(&w->doubts);
    free(w);
}

void run_worlds_forbid(const char *why)
{
    run_worlds(NULL);
    keeper.is_able = false;
    err_set(&keeper.why, "%s", why);
}

void run_world_network(struct run_world *w, bool is_outside)
{
    w->has_network = is_outside;
}

const char *run_world_directory(const struct run_world *w)
{
    return w->copy ? copy_path(w->copy) : w->from.at;
}

bool run_world_is_copy(const struct run_world *w)
{
    return w->copy != NULL;
}

int run_world_reset(struct run_world *w, const char *files, struct err *err)
{
    return world_begin(w, files ? files : "", err);
}

void run_worlds_drop(void)
{
    end_keeper();
    copies_drop();
}

/* ---- processes in it -------------------------------------------------------------------- */

/* The user may do in there what he may do outside, though the namespaces are his own. */
static void drop_powers(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {0};
    syscall(SYS_capset, &head, none);
    prctl(PR_SET_DUMPABLE, 1);
}

void world_enter(int init, int flags, int told)
{
    int32_t pid = -1;
    if (init < 0)
        return;
    if (setns(init, flags) == 0)
        pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        if (flags & CLONE_NEWUSER)
            drop_powers();
        return;
    }
    if (pid < 0)
        pid = -errno;
    ssize_t ignored = write(told, &pid, sizeof pid);
    (void)ignored;
    _exit(0);
}

/* -errno: it could not be. */
static pid_t fork_inside(const struct run_world *w)
{
    int ends[2], flags, init = world_descriptor(w, &flags);
    int32_t inner = -ECHILD;
    if (init < 0)
        return fork();
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        world_enter(init, flags, ends[1]);
        close(ends[0]);
        close(ends[1]);
        return 0;
    }
    close(ends[1]);
    while (pid > 0 && read(ends[0], &inner, sizeof inner) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return inner;
}

pid_t run_world_fork(struct run_world *w, struct err *err)
{
    fflush(NULL);
    if (w)
        w->is_untouched = false;
    pid_t pid = w ? fork_inside(w) : fork();
    if (pid == 0 && w && chdir(run_world_directory(w)) < 0)
        _exit(127);
    if (pid >= 0)
        return pid;
    if (w && w->pid)
        errno = -pid;
    return err_sys(err, "cannot start a process");
}

int run_world_command(struct run_world *w, const char *command, const char *files, int *status,
                      struct err *err)
{
    if (w && world_prepare(w, files ? files : "", err) < 0)
        return -1;
    pid_t pid = run_world_fork(w, err);
    if (pid < 0)
        return -1;
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    return 0;
}
