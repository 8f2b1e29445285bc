// SPDX-License-Identifier: Apache-2.0
//~ check: failure
// A thread is given the address of numbers on its creator's stack. They are gone when the
// function that starts it returns; whether it has read them by then is a matter of chance.
#include <pthread.h>
#include <stdio.h>

static pthread_t thread;

static void *add(void *arg)
{
    const int *numbers = arg;
    long sum = 0;
    for (int i = 0; i < 4; i++)
        sum += numbers[i];
    return (void *)sum;
}

__attribute__((noinline)) static void start(void)
{
    int numbers[4] = {1, 2, 3, 4};
    pthread_create(&thread, NULL, add, numbers);
}

__attribute__((noinline)) static int reuse(int n)
{
    volatile int room[64];
    for (int i = 0; i < 64; i++)
        room[i] = n + i;
    return room[n % 64];
}

int main(void)
{
    void *sum;
    start();
    int other = reuse(7);
    pthread_join(thread, &sum);
    printf("%ld %d\n", (long)sum, other);
    return (long)sum != 10;
}
