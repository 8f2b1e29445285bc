# Signals of other processes come at the same step in every replay: at points, in waits that they end,
# in sigwait, in poll (the shell that sends them is none of the program: --no-children); and a run that the time limit ended ends there again.
cat > signals.c << 'END'
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile int seen[3];
static volatile long spun;
static void handler(int number) { seen[number == SIGUSR1]++; }
static void *spin(void *arg)
{
    while (!seen[2])
        spun++;
    return arg;
}
int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigset_t set;
    pthread_t t;
    int got = 0, ends[2];
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&t, NULL, spin, NULL);
    pid_t child = fork();
    if (child == 0)
        execlp("sh", "sh", "-c",
               "for s in USR1 USR2 USR1 USR1 USR2 TERM; do kill -$s $PPID; sleep 0.03; done", NULL);
    char byte;
    ssize_t n = read(ends[0], &byte, 1);
    int reads = n < 0 ? errno : 0;
    int polled = poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, -1) < 0 ? errno : 0;
    sigwait(&set, &got);
    seen[2] = 1;
    pthread_join(t, NULL);
    printf("read %s, poll %s, %s, handled %d %d, spun %ld\n", strerrorname_np(reads),
           strerrorname_np(polled), sigabbrev_np(got), seen[0], seen[1], spun);
    return 0;
}
END
"$HEDDLE" cc -O1 -w -pthread signals.c -o signals
for policy in fifo random; do
    "$HEDDLE" run --no-children --policy $policy -- ./signals > first
    for _ in 1 2 3; do
        "$HEDDLE" replay signals.heddle/runs/last > again
        cmp first again
    done
    sed 's/, handled.*//' first
done
# Two at once: the second comes at the first step of the first one's handler.
cat > two.c << 'END'
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile int seen[3];
static volatile long spun;
static void handler(int number) { seen[number == SIGUSR1]++; }
static void *spin(void *arg)
{
    while (!seen[2])
        spun++;
    return arg;
}
int main(void)
{
    pthread_t t;
    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    pthread_create(&t, NULL, spin, NULL);
    if (fork() == 0)
        execlp("sh", "sh", "-c", "kill -USR1 $PPID; kill -USR2 $PPID", NULL);
    while (!seen[0] || !seen[1])
        poll(NULL, 0, 50);
    seen[2] = 1;
    return pthread_join(t, NULL);
}
END
"$HEDDLE" cc -O1 -w -pthread two.c -o two
for _ in 1 2 3; do
    "$HEDDLE" run --no-children --timeout 20 -- ./two
    "$HEDDLE" replay two.heddle/runs/last
done
cat > waits.c << 'END'
#include <unistd.h>
int main(void) { int ends[2]; char byte; return pipe(ends) + (int)read(ends[0], &byte, 1); }
END
"$HEDDLE" cc -O1 -w waits.c -o waits
"$HEDDLE" run --no-children --timeout 1 -- ./waits 2>&1 | head -n 1
"$HEDDLE" replay waits.heddle/runs/last 2>&1 | head -n 1
# One that is sent to a thread on its way to a wait is not forgotten there.
"$HEDDLE" cc -O1 -w -pthread "$TOP/tests/programs/signal-handler.c" -o handler
"$HEDDLE" run --no-children --policy random --runs 60 -- ./handler 2>&1 | cut -c 1-40
