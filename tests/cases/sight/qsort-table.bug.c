// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A table is sorted while another thread looks something up in it.
#include <pthread.h>
#include <stdlib.h>

static int table[16];

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b; //~ here
    return (x > y) - (x < y);
}

static void *look_up(void *arg)
{
    int *found = arg, key = 21;
    *found = bsearch(&key, table, 16, sizeof table[0], compare) != NULL; //~ here
    return NULL;
}

int main(void)
{
    int found = 0;
    pthread_t t;
    for (int i = 0; i < 16; i++)
        table[i] = (i * 7) % 16 * 3;
    pthread_create(&t, NULL, look_up, &found);
    qsort(table, 16, sizeof table[0], compare); //~ here
    pthread_join(t, NULL);
    return 0;
}
