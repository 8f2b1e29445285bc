# Signals of other processes come at the same step in every replay: at points, in waits that they end,
# in sigwait, in poll; and a run that the time limit ended ends there again.
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
    "$HEDDLE" run --policy $policy -- ./signals > first
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
    "$HEDDLE" run --timeout 20 -- ./two
    "$HEDDLE" replay two.heddle/runs/last
done
# They end waits that others could end too, at the same time: of a condition, a semaphore, a sleep.
cat > ends.c << 'END'
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static volatile int seen, done;
static int tickets, taken[2];
static void handler(int number) { seen += number == SIGUSR1; }
static void *take(void *arg)
{
    int *mine = arg;
    while (!done) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 3000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&lock);
        while (!tickets && pthread_cond_timedwait(&cond, &lock, &until) == 0)
            ;
        if (tickets) {
            tickets--;
            ++*mine;
        }
        pthread_mutex_unlock(&lock);
        if (sem_timedwait(&sem, &until) == 0)
            ++*mine;
    }
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    signal(SIGUSR1, handler);
    sem_init(&sem, 0, 0);
    pthread_create(&a, NULL, take, &taken[0]);
    pthread_create(&b, NULL, take, &taken[1]);
    if (fork() == 0)
        execlp("sh", "sh", "-c", "for i in 1 2 3 4 5 6; do kill -USR1 $PPID; sleep 0.002; done", NULL);
    while (seen < 4) {
        struct timespec span = {0, 1000000};
        pthread_mutex_lock(&lock);
        tickets++;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&lock);
        sem_post(&sem);
        nanosleep(&span, NULL);
    }
    done = 1;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d of %d and %d\n", seen > 0, taken[0], taken[1]);
    return 0;
}
END
"$HEDDLE" cc -O1 -w -pthread ends.c -o ends
for policy in fifo random pct:3; do
    "$HEDDLE" run --policy $policy --timeout 20 -- ./ends > first
    "$HEDDLE" replay ends.heddle/runs/last > again
    cmp first again
done
cat > waits.c << 'END'
#include <unistd.h>
int main(void) { int ends[2]; char byte; return pipe(ends) + (int)read(ends[0], &byte, 1); }
END
"$HEDDLE" cc -O1 -w waits.c -o waits
"$HEDDLE" run --timeout 1 -- ./waits 2>&1 | head -n 1
"$HEDDLE" replay waits.heddle/runs/last 2>&1 | head -n 1
# One that is sent to a thread on its way to a wait is not forgotten there.
"$HEDDLE" cc -O1 -w -pthread "$TOP/tests/programs/signal-handler.c" -o handler
"$HEDDLE" run --policy random --runs 60 -- ./handler 2>&1 | cut -c 1-40
