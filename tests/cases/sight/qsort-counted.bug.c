// SPDX-License-Identifier: Apache-2.0
//~ check: race
// The function that qsort calls back counts in a variable of all threads.
#include <pthread.h>
#include <stdlib.h>

static int compared;

static int compare(const void *a, const void *b)
{
    compared++; //~ here
    return *(const int *)a - *(const int *)b;
}

static void *sort(void *arg)
{
    int part[] = {4, 2, 3, 1};
    qsort(part, 4, sizeof part[0], compare);
    *(int *)arg = part[0];
    return NULL;
}

int main(void)
{
    int least[2] = {0, 0};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sort, &least[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return least[0] != 1 || least[1] != 1;
}
