// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Each path unlocks what it has locked.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static int take(int n)
{
    int ok = 0;
    if (n > 0) {
        pthread_mutex_lock(&lock);
        ok = stock >= n;
        if (ok)
            stock -= n;
        pthread_mutex_unlock(&lock);
    }
    return ok;
}

static void *buyer(void *arg)
{
    take(*(int *)arg);
    return NULL;
}

int main(void)
{
    int wants[2] = {1, 0};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, buyer, &wants[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
