// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A block is made smaller behind the join of the thread that reads its end.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *block;

static void *last(void *arg)
{
    *(char *)arg = block[4000]; //~ here
    return NULL;
}

int main(void)
{
    pthread_t t;
    char seen = 0;
    block = malloc(4096);
    if (block == NULL)
        return 1;
    memset(block, 'a', 4096);
    pthread_create(&t, NULL, last, &seen);
    pthread_join(t, NULL);
    char *smaller = realloc(block, 64); //~ here
    free(smaller);
    return 0;
}
