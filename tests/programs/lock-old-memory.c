/* Locks whose memory ends its life while they are held, and new ones at the same places. */
//~ exit: 0
//~ stdout: 12 in old memory, and one of each kind is busy: 16 16
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
};

static int in_a_frame(int n)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    return n + 1;
}

/* The next thread gets the same stack. */
static void *in_a_thread(void *n)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read = PTHREAD_RWLOCK_INITIALIZER;
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&written);
    pthread_rwlock_rdlock(&read);
    ++*(int *)n;
    return NULL;
}

static int in_a_block(int n)
{
    struct node *p = calloc(1, sizeof *p);
    pthread_mutex_lock(&p->lock);
    free(p);
    return n + 1;
}

static pthread_mutex_t again = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t again_too = PTHREAD_RWLOCK_INITIALIZER;

static int begun_again(int n)
{
    pthread_mutex_lock(&again);
    again = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_rdlock(&again_too);
    again_too = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    return n + (pthread_rwlock_trywrlock(&again_too) == 0 &&
                pthread_mutex_trylock(&again) == 0 && pthread_mutex_unlock(&again) == 0 &&
                pthread_rwlock_unlock(&again_too) == 0);
}

int main(void)
{
    int n = 0;
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        n = in_a_frame(n);
        pthread_create(&t, NULL, in_a_thread, &n);
        pthread_join(t, NULL);
        n = in_a_block(n);
        n = begun_again(n);
    }
    pthread_mutex_lock(&again);
    pthread_rwlock_rdlock(&again_too);
    printf("%d in old memory, and one of each kind is busy: %d %d\n", n,
           pthread_mutex_trylock(&again), pthread_rwlock_trywrlock(&again_too));
    return 0;
}
