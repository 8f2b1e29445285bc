/* Timed read and write locks give up while somebody is inside, and succeed when free. */
//~ exit: 0
//~ stdout: writer inside: ETIMEDOUT ETIMEDOUT ETIMEDOUT
//~ stdout: reader inside: 0 ETIMEDOUT ETIMEDOUT
//~ stdout: free: 0 0 0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec soon(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 3000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static int released(int rc)
{
    if (rc == 0)
        pthread_rwlock_unlock(&lock);
    return rc;
}

static void *all_three(void *state)
{
    struct timespec end = soon(CLOCK_REALTIME);
    int rd = released(pthread_rwlock_timedrdlock(&lock, &end));
    end = soon(CLOCK_REALTIME);
    int wr = released(pthread_rwlock_timedwrlock(&lock, &end));
    end = soon(CLOCK_MONOTONIC);
    int clocked = released(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &end));
    printf("%s: %s %s %s\n", (char *)state, strerrorname_np(rd), strerrorname_np(wr),
           strerrorname_np(clocked));
    return NULL;
}

static void elsewhere(char *state)
{
    pthread_t t;
    pthread_create(&t, NULL, all_three, state);
    pthread_join(t, NULL);
}

int main(void)
{
    pthread_rwlock_wrlock(&lock);
    elsewhere("writer inside");
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    elsewhere("reader inside");
    pthread_rwlock_unlock(&lock);
    elsewhere("free");
    return 0;
}
