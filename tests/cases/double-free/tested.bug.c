// SPDX-License-Identifier: Apache-2.0
//~ expect: double-free A B, race A B
// Both threads may find the name there, and free it.
#include <pthread.h>
#include <stdlib.h>

static char *name;

static void *drop(void *unused)
{
    (void)unused;
    if (name) { //~ A
        free(name);
        name = NULL; //~ B
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    name = malloc(16);
    pthread_create(&a, NULL, drop, NULL);
    pthread_create(&b, NULL, drop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
