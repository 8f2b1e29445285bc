/* SPDX-License-Identifier: Apache-2.0 */
//~ expect: race A B
// A thread that nobody waits for, beside a handler of quick_exit that takes away what it uses.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *table;

static void take_down(void)
{
    free(table);
    table = NULL; //~ A
}

static void *work(void *unused)
{
    int *t = table; //~ B
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
    quick_exit(0);
}
