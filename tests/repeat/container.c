/* SPDX-License-Identifier: Apache-2.0
 *
 * container COMMAND ... - runs a command as a container does by default: it may not switch ASLR
 * off, look into other processes or count what the processor does. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(number) IF(number, 1), ANSWER(SECCOMP_RET_ERRNO | EPERM)

int main(int argc, char **argv)
{
    struct sock_filter rules[] = {
        LOAD(nr),
        REFUSE(SYS_ptrace),
        REFUSE(SYS_process_vm_readv),
        REFUSE(SYS_process_vm_writev),
        REFUSE(SYS_perf_event_open),
        REFUSE(SYS_userfaultfd),
        REFUSE(SYS_io_uring_setup),
        REFUSE(SYS_kcmp),
        IF(SYS_personality, 4),
        LOAD(args[0]),
        IF(0xffffffff, 1),
        ANSWER(SECCOMP_RET_ALLOW), /* only asks */
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        perror("container");
        return 4;
    }
    if (personality(ADDR_NO_RANDOMIZE) != -1 || errno != EPERM)
        return 5; /* it would test nothing */
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 4;
}
