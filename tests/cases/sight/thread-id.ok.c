// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread reads its own id from where pthread_create stores it. POSIX does not say that it is
// there when the thread begins; glibc has stored it by then.
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
