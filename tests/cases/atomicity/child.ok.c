// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// What a thread does that is created and joined in a section belongs there.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *answer(void *arg)
{
    *(int *)arg = 42;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int value = -1;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, answer, &value);
    pthread_join(t, NULL);
    printf("%d\n", value);
    pthread_mutex_unlock(&m);
    return 0;
}
