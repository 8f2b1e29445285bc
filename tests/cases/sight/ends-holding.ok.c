// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread unlocks on every way out.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int budget = 3;

static void *spend(void *arg)
{
    int n = *(int *)arg;
    pthread_mutex_lock(&lock); //~ here
    if (budget < n) {
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    budget -= n;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    int much = 5;
    pthread_t t;
    pthread_create(&t, NULL, spend, &much);
    pthread_join(t, NULL);
    return budget != 3;
}
