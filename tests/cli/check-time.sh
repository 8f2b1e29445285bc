# SPDX-License-Identifier: Apache-2.0
# Time: what needs a long wait to run out is a note, unless that is an error; a short one strikes;
# a sleep hides nothing; who only watches the clock is no livelock; who waits for what nobody can
# write any more is stuck at once; and threads without end leave room for the failure.
cat > waits.c << 'E'
#include <assert.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    struct timespec end;
    pthread_create(&t, 0, work, 0);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += MS / 1000;
    end.tv_nsec += MS % 1000 * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&m);
    while (!done && pthread_cond_timedwait(&c, &m, &end) == 0)
        ;
    assert(done);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
E
cat > gives-up.c << 'E'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int total;
static void *work(void *arg)
{
    total = 1;
    usleep(100000);
    return arg;
}
int main(void)
{
    pthread_t t;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 30;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    while (pthread_cond_timedwait(&c, &m, &end) == 0)
        ;
    pthread_mutex_unlock(&m);
    total = 2;
    pthread_join(t, 0);
    return 0;
}
E
cat > sleeps.c << 'E'
#include <pthread.h>
#include <unistd.h>
int total;
static void *work(void *arg)
{
    sleep(1);
    total = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    total = 2;
    pthread_join(t, 0);
    return total == 1 ? 0 : 1;
}
E
cat > clock.c << 'E'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static atomic_int up;
static void *work(void *arg)
{
    sleep(1);
    atomic_store(&up, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    struct timespec begin, now;
    pthread_create(&t, 0, work, 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sched_yield();
    } while (now.tv_sec - begin.tv_sec < 20);
    return !atomic_load(&up) + pthread_join(t, 0);
}
E
cat > pipes.c << 'E'
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *work(void *arg)
{
    char byte;
    return read(ends[0], &byte, 1) == 1 ? arg : 0;
}
int main(void)
{
    pthread_t t;
    if (pipe(ends) < 0)
        return 4;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
E
cat > bomb.c << 'E'
#include <assert.h>
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    assert(n < 3);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    for (;;)
        pthread_create(&t, 0, work, 0);
}
E
says() { # NAME [OPTION ...]: the exit code, and the titles and first lines of what is shown
    echo "== $*"
    name=$1
    shift
    code=0
    timeout 120 "$HEDDLE" check "$@" -- ./$name > out 2> err || code=$?
    echo "exit $code"
    grep -E -A1 '^[a-z-]+-[0-9a-f]{8}  ' out | sed 's/-[0-9a-f]*  /  /' | grep -v '^--$' || true
}
for p in gives-up sleeps clock pipes bomb; do
    "$HEDDLE" cc -g -O1 -pthread $p.c -o $p
done
"$HEDDLE" cc -g -O1 -pthread -DMS=10000 waits.c -o waits-long
"$HEDDLE" cc -g -O1 -pthread -DMS=100 waits.c -o waits-short
says waits-long
says waits-short
says waits-long --expired-waits error
says waits-short --delay 10
says gives-up
says gives-up --expired-waits error
says gives-up --delay 40000
says sleeps
says clock
says pipes
says bomb
# A replay knows how late threads could be.
"$HEDDLE" run --policy pct:1 --seed 3 --delay 20000 -- ./waits-long > out 2> err || echo "run: exit $?"
"$HEDDLE" replay -q waits-long.heddle/runs/last > out 2> err || echo "replay: exit $?"
