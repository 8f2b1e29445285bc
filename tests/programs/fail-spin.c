/* A thread spins for ever on a flag that nobody sets any more, while main waits for it. */
//~ outcome: livelock
//~ stdout: the setter has gone
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;

static void *spin(void *arg)
{
    while (!atomic_load(&flag))
        ;
    return arg;
}

static void *setter(void *arg)
{
    puts("the setter has gone"); /* forgot to set the flag */
    fflush(stdout);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, spin, NULL);
    pthread_create(&t, NULL, setter, NULL);
    pthread_join(t, NULL);
    pthread_join(s, NULL);
    puts("unreachable");
    return 0;
}
