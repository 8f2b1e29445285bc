// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free
// A block is made smaller, which leaves it where it is, while another thread reads its end.
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
    char *smaller = realloc(block, 64); //~ here
    pthread_join(t, NULL);
    free(smaller);
    return 0;
}
