/* The creator prints what its threads make before it has waited for them. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int squares[3];

static void *square(void *arg)
{
    int i = (int)(long)arg;
    squares[i] = (i + 1) * (i + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, square, (void *)(long)i);
        sum += squares[i];
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    assert(sum == 14);
    return 0;
}
