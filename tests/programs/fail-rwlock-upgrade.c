/* Two readers both want to become the writer without letting go. */
//~ outcome: deadlock
//~ stdout: both read
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;

static void *upgrade(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    if (pthread_barrier_wait(&both) == PTHREAD_BARRIER_SERIAL_THREAD) {
        puts("both read");
        fflush(stdout);
    }
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, upgrade, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("unreachable");
    return 0;
}
