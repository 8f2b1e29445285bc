/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: settings that come through a socket instead of the environment. Nothing of the target
 * has run yet, not even a constructor, and there is one thread: the process can be copied for
 * every run, which saves exec and the dynamic linker. A copy is a child of whoever started us,
 * who waits for it as for one of his own.
 *
 * A request is one packet: 'c' for a copy or 'o' for this process itself, the settings, a zero
 * byte, the directory to go to (empty: stay), a zero byte; with it come the descriptors of the
 * standard streams. The answer is the process id of the run. No more requests: the server
 * ends. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

enum { STREAMS = 3, REQUEST_MAX_BYTES = 20 << 10 };

static long receive(int fd, char *at, long cap, int *streams)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(STREAMS * sizeof(int))];
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
    if (message.msg_controllen != sizeof control || (message.msg_flags & MSG_TRUNC))
        return -EPROTO;
    __builtin_memcpy(streams, CMSG_DATA(&control.head), STREAMS * sizeof *streams);
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
    static char at[REQUEST_MAX_BYTES + 2];
    int streams[STREAMS];
    for (bool first = true;; first = false) {
        long len = receive(fd, at, REQUEST_MAX_BYTES, streams);
        if (len <= 0) {
            if (first && len != 0)
                return NULL;
            sys_exit(0);
        }
        at[len] = at[len + 1] = 0;
        long pid = at[0] == 'c' ? copy() : 0;
        if (pid == 0)
            break;
        answer(fd, (int32_t)pid);
        for (int i = 0; i < STREAMS; i++)
            sys_close(streams[i]);
    }
    const char *settings = at + 1;
    if (at[0] != 'c')
        answer(fd, sys_getpid());
    sys_close(fd);
    become(streams, settings + __builtin_strlen(settings) + 1);
    return settings;
}
