/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: settings that come through a socket instead of the environment. Nothing of the target
 * has run yet, not even a constructor, and there is one thread: the process can be copied for
 * every run, which saves exec and the dynamic linker. A copy is a child of whoever started us,
 * who waits for it as for one of his own.
 *
 * A request is one packet: 'c' for a copy or 'o' for this process itself, the settings, a zero
 * byte, the directory to go to (empty: stay), a zero byte, namespaces as a decimal number, a
 * zero byte; with it come the descriptors of the standard streams. The answer is the process id
 * of the run. No more requests: the server ends.
 *
 * 'w' is a copy in a world of its own: a process in whose namespaces it is to be comes as one
 * descriptor more. Who enters a process namespace is not in it, but his children are. So a copy
 * enters and makes a copy of itself that is the run; it answers with two process ids, that of
 * the run and its own, and ends. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

enum { STREAMS = 3, DESCRIPTORS = 4, REQUEST_MAX_BYTES = 20 << 10 };

/* The last of the descriptors is -1 if it does not come. */
static long receive(int fd, char *at, long cap, int *streams)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec part = {at, (size_t)cap};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    long len;
    do
        len = sys_call(SYS_recvmsg, fd, (long)&message, MSG_CMSG_CLOEXEC, 0, 0, 0);
    while (len == -EINTR);
    if (len <= 0)
        return len;
    uint64_t bytes = control.head.cmsg_len - CMSG_LEN(0);
    if (message.msg_controllen < sizeof control.head || (message.msg_flags & MSG_TRUNC) ||
        (bytes != STREAMS * sizeof *streams && bytes != DESCRIPTORS * sizeof *streams))
        return -EPROTO;
    streams[DESCRIPTORS - 1] = -1;
    __builtin_memcpy(streams, CMSG_DATA(&control.head), bytes);
    return len;
}

/* As fork does it, but the child is our parent's. */
static long copy(void)
{
    uint32_t *tid = thread_tid_word();
    void *robust = NULL;
    uint64_t robust_bytes = 0;
    sys_call(SYS_get_robust_list, 0, (long)&robust, (long)&robust_bytes, 0, 0, 0);
    long pid =
        sys_call(SYS_clone, CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD,
                 0, 0, (long)tid, 0, 0);
    if (pid == 0)
        sys_call(SYS_set_robust_list, (long)robust, (long)robust_bytes, 0, 0, 0, 0);
    return pid;
}

static void answer(int fd, int32_t pid)
{
    sys_call(SYS_sendto, fd, (long)&pid, sizeof pid, MSG_NOSIGNAL, 0, 0);
}

/* The user may do in there what he may do outside, though the namespaces are his own. */
static void drop_powers(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {0};
    sys_call(SYS_capset, (long)&head, (long)none, 0, 0, 0, 0);
    sys_call(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0, 0);
}

/* This process is a copy. What returns is another one, in those namespaces. */
static void enter(int fd, int process, long flags)
{
    long pid = sys_call(SYS_setns, process, flags, 0, 0, 0, 0);
    if (pid == 0)
        pid = copy();
    if (pid == 0) {
        if (flags & CLONE_NEWUSER)
            drop_powers();
        sys_close(process);
        return;
    }
    int32_t both[2] = {(int32_t)pid, sys_getpid()};
    sys_call(SYS_sendto, fd, (long)both, sizeof both, MSG_NOSIGNAL, 0, 0);
    sys_exit(0);
}

static long number_at(const char *text)
{
    long value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (*text - '0');
    return value;
}

/* This process is the run. Whoever started it dies: so does it. */
static void become(const int *streams, const char *directory)
{
    sys_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
    sys_call(SYS_setpgid, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < STREAMS; i++) {
        sys_call(SYS_dup2, streams[i], i, 0, 0, 0, 0);
        sys_close(streams[i]);
    }
    if (directory[0] && sys_call(SYS_chdir, (long)directory, 0, 0, 0, 0, 0) < 0) {
        sys_write(2, "heddle: cannot go to the run's directory\n", 41);
        sys_exit(4);
    }
}

/* The settings of the run that this process is to be; null if nobody wants one: the socket is
 * not there, because it was meant for another program that has become this one by exec. */
const char *serve(int fd)
{
    static char at[REQUEST_MAX_BYTES + 3];
    int streams[DESCRIPTORS];
    for (bool first = true;; first = false) {
        long len = receive(fd, at, REQUEST_MAX_BYTES, streams);
        if (len <= 0) {
            if (first && len != 0)
                return NULL;
            sys_exit(0);
        }
        CHECK(len <= REQUEST_MAX_BYTES);
        at[len] = at[len + 1] = at[len + 2] = 0;
        long pid = at[0] == 'o' ? 0 : copy();
        if (pid == 0)
            break;
        if (at[0] != 'w' || pid < 0)
            answer(fd, (int32_t)pid);
        for (int i = 0; i < DESCRIPTORS; i++)
            if (streams[i] >= 0)
                sys_close(streams[i]);
    }
    CHECK(streams[0] >= 0 && streams[1] >= 0 && streams[2] >= 0);
    const char *settings = at + 1, *directory = settings + __builtin_strlen(settings) + 1;
    if (at[0] == 'o')
        answer(fd, sys_getpid());
    if (streams[STREAMS] >= 0)
        enter(fd, streams[STREAMS], number_at(directory + __builtin_strlen(directory) + 1));
    sys_close(fd);
    become(streams, directory);
    return settings;
}
