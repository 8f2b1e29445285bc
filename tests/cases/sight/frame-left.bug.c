// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A function starts a thread on its own variable and returns; the next call uses its place.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int from, to;
};

static void *run(void *arg)
{
    struct job *j = arg;
    long sum = 0;
    for (int i = j->from; i < j->to; i++) //~ here
        sum += i;
    return (void *)sum;
}

__attribute__((noinline)) static pthread_t start(int n)
{
    struct job mine = {0, n}, *j = &mine; //~ here
    pthread_t t;
    pthread_create(&t, NULL, run, j);
    return t;
}

int main(void)
{
    pthread_t a = start(3);
    pthread_t b = start(5);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
