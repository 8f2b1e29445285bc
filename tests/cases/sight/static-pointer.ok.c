// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Handlers and names that are there from the start.
#include <pthread.h>
#include <stddef.h>

typedef int (*handler)(int);

static int twice(int n)
{
    return 2 * n;
}

static int square(int n)
{
    return n * n;
}

static const handler handlers[2] = {twice, square};
static const char *const names[2] = {"twice", "square"};

static void *work(void *arg)
{
    int *n = arg;
    for (int i = 0; i < 2; i++)
        if (handlers[i] != NULL && names[i][0] != '\0') //~ here
            *n = handlers[i](*n);                       //~ here
    return NULL;
}

int main(void)
{
    int a = 3, b = 4;
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, &a);
    pthread_create(&t[1], NULL, work, &b);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return a < 6 || b < 8;
}
