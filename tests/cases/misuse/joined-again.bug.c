// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A thread is detached that was joined already.
#include <pthread.h>

static void *thread(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_detach(t); //~ A
    return 0;
}
