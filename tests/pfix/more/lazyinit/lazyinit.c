// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
//~ with: settings.c
// Several threads ask for the settings; whoever finds none reads them. Two may find none.
#include "settings.h"

#include <pthread.h>
#include <stdio.h>

enum { ASKERS = 3 };

static void *ask(void *unused)
{
    (void)unused;
    return settings_get()->width == 80 ? NULL : "wrong";
}

int main(void)
{
    pthread_t threads[ASKERS];
    for (int i = 0; i < ASKERS; i++)
        pthread_create(&threads[i], NULL, ask, NULL);
    for (int i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);
    printf("read %d times\n", settings_read());
    return settings_read() == 1 ? 0 : 1;
}
