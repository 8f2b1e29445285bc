// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A B
// Each user initialises the lock that all share.
#include <pthread.h>

static pthread_mutex_t m;
static int n;

static void begin(void)
{
    pthread_mutex_init(&m, NULL); //~ A //~ B
}

static void *user(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    begin();
    pthread_create(&t, NULL, user, NULL);
    pthread_join(t, NULL);
    begin();
    pthread_create(&t, NULL, user, NULL);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&m);
    return 0;
}
