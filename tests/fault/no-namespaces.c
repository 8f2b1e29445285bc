/* SPDX-License-Identifier: Apache-2.0
 *
 * no-namespaces COMMAND ...: runs it where no namespace can be made or entered and nothing be
 * mounted, as in a plain container: the system refuses these calls with EPERM. With
 * ONLY_MOUNTS: where namespaces can be had, but nothing be mounted. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPACES                                                                                 \
    (CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(number, error) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), GIVE(SECCOMP_RET_ERRNO | (error))

int main(int argc, char **argv)
{
    struct sock_filter steps[] = {
        LOAD(nr),
#ifndef ONLY_MOUNTS
        REFUSE(SYS_unshare, EPERM),
        REFUSE(SYS_setns, EPERM),
#endif
        REFUSE(SYS_mount, EPERM),
        REFUSE(SYS_fsopen, EPERM),
        REFUSE(SYS_open_tree, EPERM),
        REFUSE(SYS_clone3, ENOSYS), /* its flags lie in memory */
#ifndef ONLY_MOUNTS
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SPACES, 0, 1),
        GIVE(SECCOMP_RET_ERRNO | EPERM),
#endif
        GIVE(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        perror("no-namespaces");
        return 77;
    }
#ifndef ONLY_MOUNTS
    if (unshare(CLONE_NEWNS) == 0 || errno != EPERM)
        return 77;
#endif
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
