/* SPDX-License-Identifier: Apache-2.0
 *
 * keeper: the processes behind the worlds of runs.
 *
 *     heddle ---- keeper ---- init        one for every world: the first process in it
 *        |                                (mount, process, IPC and network namespaces)
 *        +------- server - - - copy       the run: a child of heddle's, in the world of an init
 *
 * The keeper is a copy of heddle's process from before it grew, in a user namespace where that
 * is needed. It makes an init for every world that is asked for, and the init mounts what the
 * world shows. A run enters the namespaces of an init (launch.c, rt/serve.c). Everybody holds
 * one end of a socket whose other end heddle has: when heddle goes, however it goes, they all
 * go, with the init the processes of its world, and with these what was mounted.
 *
 * A request for a world is one packet: a struct mount_wish as texts, a zero byte behind each,
 * its flags hexadecimal; with it comes the init's socket. The answer is the init's process id.
 * The init says "ready" or what is wrong. */
#include "run/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { REQUEST_MAX_BYTES = 5 * 4096 };

/* ---- descriptors through sockets -------------------------------------------------------- */

int packet_send(int to, const struct str *text, const int *fds, uint32_t count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(PACKET_FDS_MAX * sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(count * sizeof *fds),
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS}};
    CHECK(count <= PACKET_FDS_MAX);
    if (count)
        memcpy(CMSG_DATA(&control.head), fds, count * sizeof *fds);
    struct iovec part = {text->at, text->len};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fds);
    }
    return sendmsg(to, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* The length of the text; 0: the other side is gone. *fd: what came with it, or -1. */
static ssize_t packet_take(int from, char *text, size_t cap, int *fd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {text, cap - 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *fd = -1;
    if (n > 0 && message.msg_controllen == sizeof control)
        memcpy(fd, CMSG_DATA(&control.head), sizeof *fd);
    if (n >= 0)
        text[n] = 0;
    return n;
}

/* ---- the first process of a world ------------------------------------------------------- */

static void raise_loopback(void)
{
    AUTO(fd) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq r = {.ifr_name = "lo"};
    if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &r) < 0) /* no network at all */
        return;
    r.ifr_flags = (short)(r.ifr_flags | IFF_UP | IFF_RUNNING);
    ioctl(fd, SIOCSIFFLAGS, &r);
}

/* Everybody in the world but us, and those that they leave. */
static void end_all(void)
{
    do
        kill(-1, SIGKILL);
    while (wait(NULL) > 0);
}

/* The first line is the head of a table. */
static bool is_table_empty(const char *path)
{
    char text[4096];
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
    const char *end = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
    return n <= 0 || (end && end + 1 == text + n);
}

/* Sockets of the network that we are in, and ports that are not free yet. The tables of /proc
 * that list them cost a walk through those of all networks. */
static bool has_no_sockets(void)
{
    char text[4096];
    unsigned used = 1, waiting = 1;
    AUTO(fd) int fd = open("/proc/net/sockstat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return sscanf(text, "sockets: used %u TCP: inuse %*u orphan %*u tw %u", &used, &waiting) ==
               2 &&
           used == 0 && waiting == 0;
}

/* Nobody would notice that a run has been here. Process ids begin anew as well. */
static bool is_untouched(const struct mount_plan *p, int flags)
{
    static const char *const queues[] = {"/proc/sysvipc/msg", "/proc/sysvipc/sem",
                                         "/proc/sysvipc/shm"};
    if (!mounts_are_untouched(p) || (flags & CLONE_NEWNET && !has_no_sockets()))
        return false;
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        if (!is_table_empty(queues[i]))
            return false;
    AUTO(fd) int last = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    return last >= 0 && write(last, "1", 1) == 1;
}

static _Noreturn void be_init(struct mount_plan *p, const struct mount_wish *w, int socket)
{
    struct err err = {.text = "ready"};
    char text[16];
    int fd;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "heddle-init");
    if (w->flags & CLONE_NEWNET)
        raise_loopback();
    mounts_make(p, w, &err);
    prctl(PR_SET_DUMPABLE, 1); /* or nobody may enter our namespaces */
    struct str said = {.at = err.text, .len = strlen(err.text)};
    if (packet_send(socket, &said, NULL, 0) < 0 || strcmp(err.text, "ready") != 0)
        _exit(1);
    /* how a run that has ended left it: one letter if nobody would notice, else two */
    while (packet_take(socket, text, sizeof text, &fd) > 0) {
        end_all();
        struct str answer = is_untouched(p, w->flags) ? (struct str){.at = text, .len = 1}
                                                      : (struct str){.at = err.text, .len = 2};
        if (packet_send(socket, &answer, NULL, 0) < 0)
            break;
    }
    _exit(0); /* and all others with us */
}

/* ---- the keeper ------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
    AUTO(fd) int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t ignored = fd < 0 ? 0 : write(fd, text, strlen(text));
    (void)ignored; /* what needs it fails, and says so */
}

/* The user stays who he is; nobody else is known in there. */
static void map_user(uid_t user, gid_t group)
{
    char text[64];
    prctl(PR_SET_DUMPABLE, 1); /* or the files are not ours */
    write_text("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", user, user);
    write_text("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1", group, group);
    write_text("/proc/self/gid_map", text);
}

static int leave_home(bool *is_user, struct err *err)
{
    uid_t user = geteuid();
    gid_t group = getegid();
    *is_user = unshare(CLONE_NEWNS) < 0;
    if (*is_user && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return err_sys(err, "user namespaces are not allowed");
    if (*is_user)
        map_user(user, group);
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return err_sys(err, "mounts cannot be made private");
    return 0;
}

/* In memory if overlays can live there, else on the disk. */
static int plan(struct mount_plan *out, bool is_user, struct str *disk, struct err *err)
{
    const char *temp = getenv("TMPDIR");
    if (mounts_plan(out, is_user, NULL, err) == 0)
        return 0;
    str_add(disk, "%s/heddle-world-XXXXXX", temp && temp[0] ? temp : "/tmp");
    if (!mkdtemp(disk->at))
        return err_sys(err, "%s", disk->at);
    return mounts_plan(out, is_user, disk->at, err);
}

void wish_write(struct str *out, const struct mount_wish *w)
{
    const char *const texts[] = {w->files, w->disk, w->from, w->before};
    str_add(out, "%x", (unsigned)w->flags);
    str_char(out, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_bytes(out, texts[i], strlen(texts[i]) + 1);
}

static pid_t start_init(struct mount_plan *p, char *request, int socket, int home)
{
    struct mount_wish w = {.flags = (int)strtol(request, NULL, 16) & WORLD_FLAGS};
    w.files = request + strlen(request) + 1;
    w.disk = w.files + strlen(w.files) + 1;
    w.from = w.disk + strlen(w.disk) + 1;
    w.before = w.from + strlen(w.from) + 1;
    pid_t pid = (pid_t)syscall(SYS_clone, w.flags | SIGCHLD, 0, 0, 0, 0);
    if (pid != 0)
        return pid < 0 ? -errno : pid;
    close(home);
    be_init(p, &w, socket);
}

/* A whole world, for nothing: then it is known that there can be one. */
static int try_once(struct mount_plan *p, const char *disk, struct err *err)
{
    AUTO(str) struct str request = {0}, place = {0};
    int ends[2], fd;
    char said[sizeof err->text];
    str_add(&place, "%s%s", disk, disk[0] ? "/trial" : "");
    if (disk[0] && mkdir(place.at, 0700) < 0)
        return err_sys(err, "%s", place.at);
    wish_write(&request, &(struct mount_wish){WORLD_FLAGS, "", place.at, "", ""});
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(err, "socket");
    pid_t pid = start_init(p, request.at, ends[1], ends[0]);
    close(ends[1]);
    ssize_t n = pid < 0 ? 0 : packet_take(ends[0], said, sizeof said, &fd);
    close(ends[0]);
    while (wait(NULL) > 0)
        ;
    if (disk[0])
        run_remove_tree(place.at);
    if (pid < 0) {
        errno = -pid;
        return err_sys(err, "namespaces are not allowed");
    }
    if (n <= 0)
        return err_set(err, "the first process of a world died");
    return strcmp(said, "ready") == 0 ? 0 : err_set(err, "%s", said);
}

static void serve(struct mount_plan *p, int home)
{
    char request[REQUEST_MAX_BYTES];
    int socket;
    while (packet_take(home, request, sizeof request, &socket) > 0 && socket >= 0) {
        int32_t pid = start_init(p, request, socket, home);
        struct str answer = {.at = (char *)&pid, .len = sizeof pid};
        close(socket);
        if (packet_send(home, &answer, NULL, 0) < 0)
            return;
    }
}

/* What it can: "m" or "d" (changes in memory or on the disk), "u" or "-" (in a user namespace
 * or not), and the directory on the disk; or "!" and why it can not. */
static void tell(int home, const struct err *err, bool is_user, const struct str *disk)
{
    AUTO(str) struct str said = {0};
    if (err)
        str_add(&said, "!%s", err->text);
    else
        str_add(&said, "%c%c%s", disk->len ? 'd' : 'm', is_user ? 'u' : '-',
                disk->len ? disk->at : "");
    packet_send(home, &said, NULL, 0); /* nobody there: the next to be read is the end */
}

/* Of all that heddle has open only the socket is ours. */
static void forget_files(int home)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 3; i++)
        dup2(null, i);
    close_range(3, (unsigned)home - 1, 0);
    close_range((unsigned)home + 1, ~0U, 0);
}

static _Noreturn void be_keeper(int home)
{
    struct mount_plan p = {0};
    struct err err = {0};
    AUTO(str) struct str disk = {0};
    bool is_user = false;
    prctl(PR_SET_NAME, "heddle-keeper");
    setpgid(0, 0); /* what is typed at the terminal is not for us */
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    signal(SIGCHLD, SIG_IGN); /* nobody waits for an init */
    forget_files(home);
    int failed = leave_home(&is_user, &err);
    if (!failed)
        failed = plan(&p, is_user, &disk, &err);
    if (!failed)
        failed = try_once(&p, disk.len ? disk.at : "", &err);
    tell(home, failed ? &err : NULL, is_user, &disk);
    if (!failed)
        serve(&p, home);
    close(home);
    while (wait(NULL) > 0)
        ;
    if (disk.len)
        run_remove_tree(disk.at);
    _exit(0);
}

pid_t keeper_start(int *out, struct err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(err, "socket");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_keeper(ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return err_sys(err, "fork");
    }
    *out = ends[0];
    return pid;
}
