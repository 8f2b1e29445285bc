/* An error-checking mutex names every misuse of its owner and of strangers. */
//~ exit: 0
//~ stdout: owner: lock EDEADLK trylock EBUSY timedlock EDEADLK
//~ stdout: stranger: unlock EPERM trylock EBUSY
//~ stdout: unlock 0, again EPERM, destroy 0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t m;

static void *stranger(void *arg)
{
    (void)arg;
    int unlock = pthread_mutex_unlock(&m);
    int try = pthread_mutex_trylock(&m);
    printf("stranger: unlock %s trylock %s\n", strerrorname_np(unlock), strerrorname_np(try));
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);

    pthread_mutex_lock(&m);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 3600; /* must not be waited for */
    int relock = pthread_mutex_lock(&m);
    int try = pthread_mutex_trylock(&m);
    int timed = pthread_mutex_timedlock(&m, &end);
    printf("owner: lock %s trylock %s timedlock %s\n", strerrorname_np(relock),
           strerrorname_np(try), strerrorname_np(timed));

    pthread_t t;
    pthread_create(&t, NULL, stranger, NULL);
    pthread_join(t, NULL);

    int unlock = pthread_mutex_unlock(&m);
    int again = pthread_mutex_unlock(&m);
    printf("unlock %d, again %s, destroy %d\n", unlock, strerrorname_np(again),
           pthread_mutex_destroy(&m));
    return 0;
}
