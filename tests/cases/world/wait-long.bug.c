// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// The wait of 30 s is not the matter: the value is stored after the flag.
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, value;

static void *maker(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    value = 3; //~ here
    return arg;
}

int main(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 30;
    pthread_t t;
    pthread_create(&t, NULL, maker, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        if (pthread_cond_timedwait(&changed, &lock, &end) != 0) {
            puts("nobody came");
            return 1;
        }
    pthread_mutex_unlock(&lock);
    printf("%d\n", value); //~ here
    pthread_join(t, NULL);
    return 0;
}
