// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A condition in memory that is not what anybody has initialised.
#include <pthread.h>
#include <string.h>

static pthread_cond_t c;

static void *thread(void *arg)
{
    pthread_cond_signal(&c); //~ A
    return arg;
}

int main(void)
{
    pthread_t t;
    memset(&c, 0x5a, sizeof c);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
