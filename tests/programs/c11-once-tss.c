/* C11 call_once, tss_* with a destructor, and thread_local. */
//~ exit: 0
//~ stdout: once 1, own values 4, destroyed 4, thread_local 4
//~ std: c11
//~ tsan: skip it does not know C11 threads
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

enum { THREADS = 4 };

static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static atomic_int once, own, destroyed, fresh;
static thread_local int local = 1;

static void destroy(void *value)
{
    destroyed++;
    free(value);
}

static void make_key(void)
{
    once++;
    tss_create(&key, destroy);
}

static int use(void *arg)
{
    call_once(&flag, make_key);
    int *mine = malloc(sizeof *mine);
    *mine = *(int *)arg;
    tss_set(key, mine);
    thrd_yield();
    own += *(int *)tss_get(key) == *(int *)arg;
    fresh += local++ == 1;
    return 0;
}

int main(void)
{
    thrd_t t[THREADS];
    int id[THREADS];
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        thrd_create(&t[i], use, &id[i]);
    }
    for (int i = 0; i < THREADS; i++)
        thrd_join(t[i], NULL);
    printf("once %d, own values %d, destroyed %d, thread_local %d\n", once, own, destroyed,
           fresh);
    tss_delete(key);
    return 0;
}
