/* A spin lock made of an atomic_flag, without any yield, protects plain data. */
//~ exit: 0
//~ stdout: 2000 2000
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int a, b;

static void *work(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            ;
        a++;
        b = a;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", a, b);
    return 0;
}
