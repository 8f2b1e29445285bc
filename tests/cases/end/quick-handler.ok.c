/* SPDX-License-Identifier: Apache-2.0 */
//~ expect: nothing
// A handler of quick_exit takes away what a thread used, which has ended.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *table;

static void take_down(void)
{
    free(table);
    table = NULL;
}

static void *work(void *unused)
{
    int *t = table;
    assert(t);
    t[0]++;
    return unused;
}

int main(void)
{
    pthread_t t;
    table = calloc(4, sizeof *table);
    at_quick_exit(take_down);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    quick_exit(0);
}
