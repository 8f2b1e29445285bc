// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A barrier in a frame is initialised again, and was not destroyed.
#include <pthread.h>

static void *thread(void *arg)
{
    pthread_barrier_wait(arg);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_t b;
    pthread_barrier_init(&b, NULL, 1);
    pthread_barrier_init(&b, NULL, 1); //~ A
    pthread_create(&t, NULL, thread, &b);
    pthread_join(t, NULL);
    pthread_barrier_destroy(&b);
    return 0;
}
