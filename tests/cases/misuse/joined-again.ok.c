// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Each thread is joined or detached once, one of them by itself; one may not have ended.
#define _GNU_SOURCE
#include <pthread.h>

static void *thread(void *arg)
{
    if (arg)
        pthread_detach(pthread_self());
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, thread, i == 0 ? t : NULL);
    if (pthread_tryjoin_np(t[1], NULL) != 0)
        pthread_join(t[1], NULL);
    pthread_detach(t[2]);
    pthread_exit(NULL);
}
