/* With the writers-first kind a waiting writer keeps new readers out. */
//~ exit: 0
//~ stdout: new reader EBUSY, then the writer wrote 1
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static pthread_rwlock_t lock;
static int value;

static void *writer(void *arg)
{
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *new_reader(void *arg)
{
    int *rc = arg;
    while ((*rc = pthread_rwlock_tryrdlock(&lock)) == 0) { /* until the writer waits */
        pthread_rwlock_unlock(&lock);
        sched_yield();
    }
    return NULL;
}

int main(void)
{
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attr);
    pthread_rwlockattr_destroy(&attr);

    pthread_t w, r;
    int rc = -1;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, new_reader, &rc);
    pthread_join(r, NULL); /* main has read-locked all the time */
    int while_reading = value;
    pthread_rwlock_unlock(&lock);
    pthread_join(w, NULL);
    printf("new reader %s, then the writer wrote %d\n", strerrorname_np(rc),
           value - while_reading);
    return pthread_rwlock_destroy(&lock);
}
