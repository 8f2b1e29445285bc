/* What is asked in one function and done in another belongs together, in the one that calls
 * both. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int free_rooms = 1, guests;

static int has_room(void)
{
    return free_rooms > 0;
}

static void check_in(void)
{
    free_rooms--;
    guests++;
}

static int reserve(int nights)
{
    if (nights < 1)
        return -1;
    if (!has_room())
        return 0;
    check_in();
    return nights;
}

static void *desk(void *arg)
{
    reserve(2);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, desk, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", guests);
    assert(free_rooms >= 0);
    return 0;
}
