# SPDX-License-Identifier: Apache-2.0
# Programs that libc lets live: a condition or mutex that begins anew under who waits for it, a thread that is detached
# while another one joins it, a join with a handler in it that sleeps, jumps within handlers and out of one of two, a
# thread that is cancelled at once where it waits, a child that ends with a lock that its parent has, a timer with no signal. Each prints what it prints without Heddle.
cat > anew.c << 'END'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t boss;
static sigjmp_buf out, both;

static void *wait_a_second(void *arg)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    int e = pthread_cond_timedwait(&cond, &mutex, &t);
    pthread_mutex_unlock(&mutex);
    printf("condition: %s\n", e == ETIMEDOUT ? "timed out" : "woken");
    return arg;
}

static void condition(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait_a_second, NULL);
    usleep(1000);
    pthread_cond_init(&cond, NULL);
    pthread_cond_signal(&cond);
    pthread_join(t, NULL);
}

static void *wait_for_signal(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
    printf("mutex: woken\n");
    return arg;
}

static void mutex_is_gone(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait_for_signal, NULL);
    usleep(1000);
    pthread_mutex_destroy(&mutex);
    pthread_cond_signal(&cond);
    pthread_join(t, NULL);
}

static void *lives(void *arg)
{
    usleep(5000);
    return arg;
}

static void *detaches(void *arg)
{
    usleep(1000);
    printf("detach: %d\n", pthread_detach((pthread_t)arg));
    return NULL;
}

static void detached(void)
{
    pthread_t t, u;
    void *result = &t;
    pthread_create(&t, NULL, lives, NULL);
    pthread_create(&u, NULL, detaches, (void *)t);
    int e = pthread_join(t, &result);
    printf("join: %d, %s\n", e, result ? "not its result" : "its result");
    pthread_join(u, NULL);
}

static void sleeps(int number)
{
    struct timespec span = {0, 500000000}, a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    nanosleep(&span, NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    long ns = (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec;
    printf("handler: signal %d, slept %s\n", number == SIGUSR1, ns >= 500000000 ? "all of it" : "less");
}

static void *disturbs(void *arg)
{
    usleep(1000);
    pthread_kill(boss, SIGUSR1);
    usleep(100000);
    return arg;
}

static void handler(void)
{
    pthread_t t;
    boss = pthread_self();
    signal(SIGUSR1, sleeps);
    pthread_create(&t, NULL, disturbs, NULL);
    printf("join: %d\n", pthread_join(t, NULL));
}

static int masked(void)
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, NULL, &set);
    return sigismember(&set, SIGUSR1) + 2 * sigismember(&set, SIGUSR2);
}

static void inside(int number)
{
    sigjmp_buf here;
    if (sigsetjmp(here, 1) == 0)
        siglongjmp(here, number);
    printf("within: %d\n", masked());
}

static void leaves(int number)
{
    siglongjmp(out, number);
}

static void nested(int number)
{
    if (sigsetjmp(out, 1) == 0)
        raise(SIGUSR2);
    printf("out of one: %d\n", masked());
    siglongjmp(both, number);
}

static void jumps(void)
{
    signal(SIGUSR1, inside);
    raise(SIGUSR1);
    printf("behind: %d\n", masked());
    signal(SIGUSR1, nested);
    signal(SIGUSR2, leaves);
    if (sigsetjmp(both, 1) == 0)
        raise(SIGUSR1);
    printf("out of both: %d\n", masked());
}

static pthread_barrier_t barrier;

static void *locks(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_mutex_lock(&mutex);
    return arg;
}

static void *meets(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_barrier_wait(&barrier);
    return arg;
}

static void cancel(void)
{
    void *(*const all[])(void *) = {locks, meets};
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        void *result;
        pthread_create(&t, NULL, all[i], NULL);
        usleep(1000);
        pthread_cancel(t);
        int e = pthread_join(t, &result);
        printf("cancel: %d, %s\n", e, result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    }
}

static void robust(void)
{
    int status;
    pthread_mutexattr_t attr;
    pthread_mutex_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(shared, &attr);
    pthread_mutex_lock(shared);
    if (fork() == 0)
        _exit(0);
    wait(NULL);
    if (fork() == 0)
        _exit(pthread_mutex_trylock(shared));
    wait(&status);
    printf("robust: %s\n", WEXITSTATUS(status) == EBUSY ? "busy" : "not busy");
    pthread_mutex_unlock(shared);
}

static void timer(void)
{
    timer_t id;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 99};
    printf("timer: %d\n", timer_create(CLOCK_MONOTONIC, &event, &id) < 0 && errno == EINVAL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"condition", condition}, {"mutex", mutex_is_gone}, {"detach", detached}, {"handler", handler},
               {"jumps", jumps},         {"cancel", cancel},       {"robust", robust}, {"timer", timer}};
    setvbuf(stdout, NULL, _IONBF, 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
            all[i].run();
    return 0;
}
END
"$HEDDLE" cc -w -g -O1 -pthread anew.c -o anew
for what in condition mutex detach handler jumps cancel robust timer; do
    for policy in fifo random; do
        timeout 60 "$HEDDLE" run --policy $policy -- ./anew $what > said 2> words || echo "$what, $policy: exit $?"
        grep '^heddle: unsupported' words || true
        [ $policy = fifo ] && cat said
        "$HEDDLE" replay anew.heddle/runs/last > again 2>&1 || cat again
    done
done
