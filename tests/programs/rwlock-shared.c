/* Readers hold a read-write lock together, a writer holds it alone. */
//~ exit: 0
//~ stdout: readers inside together: 3
//~ stdout: writes 400, torn reads 0
#include <pthread.h>
#include <stdio.h>

enum { READERS = 3, WRITERS = 2, ROUNDS = 200 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t meet;
static int left, right, torn[READERS];

static void *reader(void *arg)
{
    int *mine = arg;
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&meet); /* passes only if all readers are inside at once */
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&lock);
        *mine += left != right;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_wrlock(&lock);
        left++;
        right++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t r[READERS], w[WRITERS];
    pthread_barrier_init(&meet, NULL, READERS + 1);
    for (int i = 0; i < READERS; i++)
        pthread_create(&r[i], NULL, reader, &torn[i]);
    pthread_barrier_wait(&meet);
    printf("readers inside together: %d\n", READERS);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&w[i], NULL, writer, NULL);
    int sum = 0;
    for (int i = 0; i < READERS; i++) {
        pthread_join(r[i], NULL);
        sum += torn[i];
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(w[i], NULL);
    printf("writes %d, torn reads %d\n", left, sum);
    pthread_rwlock_destroy(&lock);
    pthread_barrier_destroy(&meet);
    return 0;
}
