// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A thread reads its own id from where its maker stores it when it runs already.
// That pthread_create itself does so is no race here: glibc stores the id before the thread
// begins, though POSIX does not say so.
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
    pthread_t made;
    if (pthread_create(&made, NULL, work, NULL) != 0)
        return 1;
    worker = made; //~ here
    pthread_join(worker, NULL);
    return 0;
}
