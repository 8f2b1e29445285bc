// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
// Three threads set two variables that belong together; at the end both have to hold what the
// same thread wrote.
#include <pthread.h>
#include <stdio.h>

enum { WRITERS = 3 };

struct pair {
    int a, b;
};

static struct pair pair;
static const int values[WRITERS] = {1, 2, 3};

static void *writer(void *argument)
{
    int value = *(const int *)argument;
    pair.a = value;
    pair.b = value;
    return NULL;
}

int main(void)
{
    pthread_t threads[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[i], NULL, writer, (void *)&values[i]);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);

    if (pair.a != pair.b) {
        printf("a is %d, b is %d\n", pair.a, pair.b);
        return 1;
    }
    printf("consistent\n");
    return 0;
}
