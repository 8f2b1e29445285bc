/* Mutex attributes are kept or refused; one with priority inheritance excludes. */
//~ exit: 0
//~ stdout: defaults: type 0 protocol 0 shared 0 robust 0
//~ stdout: set: type 2 protocol 1 shared 1 robust 1 ceiling 7
//~ stdout: refused: EINVAL EINVAL EINVAL EINVAL EINVAL
//~ stdout: counter 2000
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t m;
static int counter;

static void *count(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        counter++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void show(const char *what, const pthread_mutexattr_t *attr)
{
    int type, protocol, shared, robust;
    pthread_mutexattr_gettype(attr, &type);
    pthread_mutexattr_getprotocol(attr, &protocol);
    pthread_mutexattr_getpshared(attr, &shared);
    pthread_mutexattr_getrobust(attr, &robust);
    printf("%s: type %d protocol %d shared %d robust %d", what, type, protocol, shared, robust);
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    show("defaults", &attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    int ceiling = 0, set_ceiling = pthread_mutexattr_setprioceiling(&attr, 7);
    pthread_mutexattr_getprioceiling(&attr, &ceiling);
    show("\nset", &attr);
    printf(" ceiling %d\n", set_ceiling == 0 ? ceiling : -1);
    printf("refused: %s", strerrorname_np(pthread_mutexattr_settype(&attr, 77)));
    printf(" %s", strerrorname_np(pthread_mutexattr_setprotocol(&attr, 77)));
    printf(" %s", strerrorname_np(pthread_mutexattr_setpshared(&attr, 77)));
    printf(" %s", strerrorname_np(pthread_mutexattr_setrobust(&attr, 77)));
    printf(" %s\n", strerrorname_np(pthread_mutexattr_setprioceiling(&attr, 7777)));

    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_destroy(&m);
    printf("counter %d\n", counter);
    return 0;
}
