/* The only signal comes between the look at the flag and the wait, which never ends. */
//~ outcome: deadlock
//~ stdout: signalled too early
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t looked, signalled;
static atomic_int ready;

static void *waiter(void *arg)
{
    if (!atomic_load(&ready)) { /* wrong: looked at without the lock, and only once */
        sem_post(&looked);
        sem_wait(&signalled);
        pthread_mutex_lock(&m);
        do
            pthread_cond_wait(&c, &m);
        while (1); /* a spurious wake-up must not hide the failure */
    }
    return arg;
}

static void *notifier(void *arg)
{
    sem_wait(&looked);
    atomic_store(&ready, 1);
    pthread_cond_signal(&c);
    puts("signalled too early");
    fflush(stdout);
    sem_post(&signalled);
    return arg;
}

int main(void)
{
    pthread_t w, n;
    sem_init(&looked, 0, 0);
    sem_init(&signalled, 0, 0);
    pthread_create(&w, NULL, waiter, NULL);
    pthread_create(&n, NULL, notifier, NULL);
    pthread_join(n, NULL);
    pthread_join(w, NULL);
    puts("unreachable");
    return 0;
}
