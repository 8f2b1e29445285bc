/* Thread-specific keys: a value per thread, destructors, and their repetition. */
//~ exit: 0
//~ stdout: values kept 4 of 4, freed 4, main keeps its own 99
//~ stdout: rounds of a stubborn destructor 3, none for NULL 0, deleted key EINVAL
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 };

static pthread_key_t plain, stubborn, unset;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int kept, freed, rounds, called_for_null;

static void free_value(void *value)
{
    pthread_mutex_lock(&m);
    freed++;
    pthread_mutex_unlock(&m);
    free(value);
}

static void set_again(void *value)
{
    (void)value;
    if (++rounds < 3)
        pthread_setspecific(stubborn, &rounds);
}

static void count_null(void *value)
{
    (void)value;
    called_for_null++;
}

static void *own_value(void *arg)
{
    int *mine = malloc(sizeof *mine), id = *(int *)arg;
    *mine = id;
    pthread_setspecific(plain, mine);
    pthread_setspecific(unset, &rounds);
    pthread_setspecific(unset, NULL);
    if (id == 0)
        pthread_setspecific(stubborn, &rounds);
    pthread_mutex_lock(&m);
    kept += *(int *)pthread_getspecific(plain) == id;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int id[THREADS], own = 99;
    pthread_key_create(&plain, free_value);
    pthread_key_create(&stubborn, set_again);
    pthread_key_create(&unset, count_null);
    pthread_setspecific(plain, &own);
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, own_value, &id[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("values kept %d of %d, freed %d, main keeps its own %d\n", kept, THREADS, freed,
           *(int *)pthread_getspecific(plain));
    pthread_key_delete(plain);
    int rc = pthread_setspecific(plain, &own);
    printf("rounds of a stubborn destructor %d, none for NULL %d, deleted key %s\n", rounds,
           called_for_null, strerrorname_np(rc));
    return 0;
}
