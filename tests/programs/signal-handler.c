/* Handlers run in the thread the signal was sent to; blocked signals wait. */
//~ exit: 0
//~ stdout: raise: handler ran in the caller yes, signal SIGUSR1
//~ stdout: pthread_kill: handler ran in the target yes, signal SIGUSR2
//~ stdout: blocked: before 0, after unblocking 1, ignored signal did nothing
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static _Thread_local volatile sig_atomic_t got, got_signal;
static sem_t ready, handled;

static void handler(int number, siginfo_t *info, void *context)
{
    (void)context;
    got++;
    got_signal = info->si_signo == number ? number : -1;
    sem_post(&handled); /* async-signal-safe */
}

static void *target(void *arg)
{
    sem_post(&ready);
    while (got == 0)
        sem_wait(&handled); /* interrupted or posted, whichever comes first */
    *(int *)arg = got_signal;
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO, .sa_sigaction = handler};
    pthread_t t;
    int seen = 0;
    sem_init(&ready, 0, 0);
    sem_init(&handled, 0, 0);
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);

    raise(SIGUSR1); /* the handler has run when raise returns */
    sem_wait(&handled);
    printf("raise: handler ran in the caller %s, signal SIG%s\n", got == 1 ? "yes" : "no",
           sigabbrev_np(got_signal));
    pthread_create(&t, NULL, target, &seen);
    sem_wait(&ready);
    pthread_kill(t, SIGUSR2);
    pthread_join(t, NULL);
    printf("pthread_kill: handler ran in the target %s, signal SIG%s\n",
           got == 1 ? "yes" : "no", sigabbrev_np(seen));

    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    got = 0;
    raise(SIGUSR1);
    raise(SIGUSR1); /* pending already: one delivery for both */
    int before = got;
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    printf("blocked: before %d, after unblocking %d, ", before, (int)got);
    puts(got == 1 ? "ignored signal did nothing" : "ignored signal was handled");
    return 0;
}
