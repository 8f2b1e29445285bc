/* SPDX-License-Identifier: Apache-2.0
 *
 * terminal: who reads from it. A run has a process group of its own, and only the group in the
 * foreground may read from a terminal: others are stopped. So the run gets the foreground while
 * it lives, if it was ours, and with it what is typed to end it. */
#include "run/parts.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 200, TRY_US = 1000 };

/* We are in the background when we take it back: the system would stop us for that. */
static int set_foreground(pid_t group)
{
    sigset_t out, before;
    sigemptyset(&out);
    sigaddset(&out, SIGTTOU);
    sigprocmask(SIG_BLOCK, &out, &before);
    int result = tcsetpgrp(STDIN_FILENO, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return result;
}

void terminal_lend(struct run_live *r)
{
    if (r->opts.input || r->opts.world || !isatty(STDIN_FILENO) ||
        tcgetpgrp(STDIN_FILENO) != getpgrp())
        return;
    for (int i = 0; i < TRIES && getpgid(r->pid) != r->pid; i++)
        usleep(TRY_US); /* its group is the first thing that it makes */
    r->has_terminal = set_foreground(r->pid) == 0;
    if (r->has_terminal)
        kill(-r->pid, SIGCONT); /* it may have been faster than we */
}

int terminal_take_back(struct run_live *r)
{
    if (!r->has_terminal)
        return 0;
    r->has_terminal = false;
    set_foreground(getpgrp());
    return WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGINT ? SIGINT : 0;
}
