/* main finds that its threads' results are wrong and returns 42. */
//~ outcome: exit 42
//~ stdout: sum 10, expected 11
#include <pthread.h>
#include <stdio.h>

static void *add(void *arg)
{
    ++*(int *)arg;
    return NULL;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        pthread_t t;
        pthread_create(&t, NULL, add, &sum);
        pthread_join(t, NULL);
    }
    printf("sum %d, expected 11\n", sum);
    return sum == 11 ? 0 : 42;
}
