/* pthread_once runs its function in one thread, and the others wait until it has finished. */
//~ exit: 0
//~ stdout: runs 1, seen complete by 6 of 6
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 6 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, table[100];

static void fill(void)
{
    runs++;
    for (int i = 0; i < 100; i++) {
        table[i] = i;
        if (i % 10 == 0)
            sched_yield(); /* an invitation to look at half a table */
    }
}

static void *use(void *arg)
{
    pthread_once(&once, fill);
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += table[i];
    *(int *)arg = sum == 4950;
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int complete[THREADS] = {0}, count = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, use, &complete[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        count += complete[i];
    }
    printf("runs %d, seen complete by %d of %d\n", runs, count, THREADS);
    return 0;
}
