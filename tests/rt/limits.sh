# SPDX-License-Identifier: Apache-2.0
# Behind a limit: a thing of the system that was met before the others is still asked for by its own number, a mapped
# file too many is named, a timer that would strike behind the end of time does not, and time does not begin again.
cat > many.c << 'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static void *asks(void *arg)
{
    char at[4096];
    return getcwd(at, sizeof at) ? arg : NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char name[32];
    for (int i = 0; argc > 1 && i < 65; i++) {
        int fd = memfd_create("x", 0);
        ftruncate(fd, 4096);
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    if (argc > 1)
        return 0;
    chdir(".");
    for (int i = 0; i < 66000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        access(name, F_OK);
    }
    pthread_create(&t, NULL, asks, NULL);
    pthread_join(t, NULL);
    return 0;
}
END
"$HEDDLE" cc -w -g -O1 -pthread many.c -o many
"$HEDDLE" run -- ./many
"$HEDDLE" trace dump many.heddle/runs/last/trace > dump
where=$(sed -n '/^T0 change /{s/^T0 change \([^ ]*\).*/\1/p;q}' dump)
echo "T1 asks for what T0 changed: $(grep -c "^T1 sum $where " dump)"
"$HEDDLE" run -- ./many maps 2>&1 | grep -v '^replay:'
cat > ever.c << 'END'
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
static volatile int struck;
static void strikes(int number)
{
    struck += number == SIGALRM;
}
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int main(void)
{
    struct timespec when = {LONG_MAX, 0}, before, now, second = {1, 0};
    struct itimerspec once = {{18446744073, 0}, {0, 1000}};
    timer_t timer;
    signal(SIGALRM, strikes);
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &once, NULL);
    nanosleep(&second, NULL);
    timer_delete(timer);
    printf("struck %d times\n", struck);
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &when);
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (int i = 0; i < 5; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
    printf("time goes %s\n", now.tv_sec < before.tv_sec ? "back" : "on");
    return 0;
}
END
"$HEDDLE" cc -w -g -O1 -pthread ever.c -o ever
"$HEDDLE" run -- ./ever
