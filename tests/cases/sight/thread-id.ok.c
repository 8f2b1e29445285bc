// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread asks pthread_self for its own id.
#include <pthread.h>

static pthread_t worker;
static int same;

static void *work(void *arg)
{
    pthread_t me = pthread_self();
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
