/* System V's way with signals, and signal() as ISO C alone has it: one time only. */
//~ exit: 0
//~ std: c17
//~ flags: -Wno-deprecated-declarations
//~ stdout: sigset: old default, held 0, came 1, was held 1
//~ stdout: ignored: came 1
//~ stdout: ISO C: came 2, default again 1
//~ stdout: group: came 3
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

extern void (*__sysv_signal(int, void (*)(int)))(int); /* what signal is called then */

static volatile sig_atomic_t came;

static void comes(int unused)
{
    (void)unused;
    came++;
}

/* Points at which a handler could run. */
static void *works(void *sum)
{
    for (int i = 0; i < 100; i++)
        ++*(volatile int *)sum;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    struct sigaction now;
    const char *old = sigset(SIGUSR1, comes) == SIG_DFL ? "default" : "other";
    sighold(SIGUSR1);
    kill(getpid(), SIGUSR1);
    int held = came;
    sigrelse(SIGUSR1);
    sigset(SIGUSR1, SIG_HOLD);
    printf("sigset: old %s, held %d, came %d, was held %d\n", old, held, came,
           sigset(SIGUSR1, comes) == SIG_HOLD);
    sigignore(SIGUSR1);
    raise(SIGUSR1);
    printf("ignored: came %d\n", came);
    __sysv_signal(SIGUSR2, comes);
    pthread_create(&t, NULL, works, &sum);
    kill(getpid(), SIGUSR2);
    pthread_join(t, NULL);
    sigaction(SIGUSR2, NULL, &now);
    printf("ISO C: came %d, default again %d\n", came, now.sa_handler == SIG_DFL);
    setpgid(0, 0);
    sigset(SIGUSR1, comes);
    killpg(getpgrp(), SIGUSR1);
    printf("group: came %d\n", came);
    return 0;
}
