/* SPDX-License-Identifier: Apache-2.0
 *
 * counter: two threads count visitors without a lock. A race: an update can get lost. */
#include <pthread.h>
#include <stdio.h>

enum { EACH = 3 };
static int visitors;

static void *door(void *unused)
{
    (void)unused;
    for (int i = 0; i < EACH; i++)
        visitors++;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, door, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d visitors\n", visitors);
    return visitors != 2 * EACH;
}
