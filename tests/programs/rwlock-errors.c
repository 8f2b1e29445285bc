/* The try and relock results of a read-write lock: free, read-locked, write-locked. */
//~ exit: 0
//~ stdout: free: tryrdlock 0 trywrlock 0
//~ stdout: read-locked: tryrdlock 0 trywrlock EBUSY
//~ stdout: write-locked: tryrdlock EBUSY trywrlock EBUSY
//~ stdout: owner of the write lock: rdlock EDEADLK wrlock EDEADLK
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_rwlock_t lock;

static void *try_both(void *state)
{
    int rd = pthread_rwlock_tryrdlock(&lock);
    if (rd == 0)
        pthread_rwlock_unlock(&lock);
    int wr = pthread_rwlock_trywrlock(&lock);
    if (wr == 0)
        pthread_rwlock_unlock(&lock);
    printf("%s: tryrdlock %s trywrlock %s\n", (char *)state, strerrorname_np(rd),
           strerrorname_np(wr));
    return NULL;
}

static void try_elsewhere(char *state)
{
    pthread_t t;
    pthread_create(&t, NULL, try_both, state);
    pthread_join(t, NULL);
}

int main(void)
{
    pthread_rwlock_init(&lock, NULL);
    try_elsewhere("free");

    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock); /* a reader may come again */
    try_elsewhere("read-locked");
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);

    pthread_rwlock_wrlock(&lock);
    try_elsewhere("write-locked");
    int rd = pthread_rwlock_rdlock(&lock);
    int wr = pthread_rwlock_wrlock(&lock);
    printf("owner of the write lock: rdlock %s wrlock %s\n", strerrorname_np(rd),
           strerrorname_np(wr));
    pthread_rwlock_unlock(&lock);
    return pthread_rwlock_destroy(&lock);
}
