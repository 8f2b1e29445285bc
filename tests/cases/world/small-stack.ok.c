// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Threads with the smallest stack that is allowed: enough for what they do.
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void *serve(void *arg)
{
    char page[512];
    snprintf(page, sizeof page, "%d", 7);
    pthread_mutex_lock(&lock);
    served += page[0] == '7'; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_attr_t a;
    pthread_t t[4];
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], &a, serve, NULL) != 0)
            return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&lock);
    int n = served;
    pthread_mutex_unlock(&lock);
    return n > 4;
}
