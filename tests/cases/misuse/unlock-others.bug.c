// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A B
// A thread unlocks what another one has locked.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *unlocker(void *arg)
{
    pthread_mutex_unlock(&m); //~ A
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&m); //~ B
    pthread_create(&t, NULL, unlocker, NULL);
    pthread_join(t, NULL);
    return 0;
}
