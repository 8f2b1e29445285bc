/* Readers and writers kept apart by a mutex and a condition variable. */
//~ exit: 0
//~ stdout: writes 100, torn reads 0, overlaps 0
#include <pthread.h>
#include <stdio.h>

enum { READERS = 3, WRITERS = 2, ROUNDS = 50 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reading, writing, overlaps;
static int left, right; /* guarded by the protocol, not by m */

static void *reader(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        while (writing)
            pthread_cond_wait(&changed, &m);
        reading++;
        pthread_mutex_unlock(&m);
        *(int *)arg += left != right;
        pthread_mutex_lock(&m);
        overlaps += writing;
        if (--reading == 0)
            pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *writer(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        while (writing || reading > 0)
            pthread_cond_wait(&changed, &m);
        writing = 1;
        pthread_mutex_unlock(&m);
        left++;
        right++;
        pthread_mutex_lock(&m);
        overlaps += reading;
        writing = 0;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[READERS + WRITERS];
    int torn[READERS] = {0};
    for (int i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, reader, &torn[i]);
    for (int i = READERS; i < READERS + WRITERS; i++)
        pthread_create(&t[i], NULL, writer, NULL);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(t[i], NULL);
    printf("writes %d, torn reads %d, overlaps %d\n", left, torn[0] + torn[1] + torn[2],
           overlaps);
    return 0;
}
