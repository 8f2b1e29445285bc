// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A thread reads its own id where pthread_create may not have stored it yet.
#include <pthread.h>

static pthread_t worker;
static int same;

static void *work(void *arg)
{
    pthread_t me = worker; //~ here
    same = pthread_equal(me, pthread_self()) != 0;
    return arg;
}

int main(void)
{
    if (pthread_create(&worker, NULL, work, NULL) != 0) //~ here
        return 1;
    pthread_join(worker, NULL);
    return 0;
}
