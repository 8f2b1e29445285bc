/* Five philosophers always take the fork with the lower number first. */
//~ exit: 0
//~ stdout: meals 100 100 100 100 100
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { SEATS = 5, MEALS = 100 };

static pthread_mutex_t fork_at[SEATS];
static int meals[SEATS], held_by[SEATS];

static void *dine(void *arg)
{
    int me = (int)((int *)arg - meals), left = me, right = (me + 1) % SEATS;
    int low = left < right ? left : right, high = left + right - low;
    for (int i = 0; i < MEALS; i++) {
        pthread_mutex_lock(&fork_at[low]);
        held_by[low] = me;
        if (i % 10 == 0)
            sched_yield();
        pthread_mutex_lock(&fork_at[high]);
        held_by[high] = me;
        meals[me] += held_by[low] == me && held_by[high] == me;
        pthread_mutex_unlock(&fork_at[high]);
        pthread_mutex_unlock(&fork_at[low]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[SEATS];
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&fork_at[i], NULL);
    for (int i = 0; i < SEATS; i++)
        pthread_create(&t[i], NULL, dine, &meals[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(t[i], NULL);
    printf("meals %d %d %d %d %d\n", meals[0], meals[1], meals[2], meals[3], meals[4]);
    return 0;
}
