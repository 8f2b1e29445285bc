/* Two threads sort one array, and nothing keeps them apart. */
//~ check: race|atomicity
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int numbers[4] = {3, 1, 2, 0};

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b; //~ here
}

static void *sort(void *arg)
{
    qsort(numbers, 4, sizeof numbers[0], by_value); //~ here
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sort, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", numbers[0]);
    return 0;
}
