// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A thread returns from the middle of its section.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *thread(void *arg)
{
    pthread_mutex_lock(&m); //~ A
    if (++n > 0)
        return arg;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
