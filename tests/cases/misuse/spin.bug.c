// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A spin lock is given back twice.
#include <pthread.h>

static pthread_spinlock_t s;

static void *thread(void *arg)
{
    pthread_spin_lock(&s);
    pthread_spin_unlock(&s);
    pthread_spin_unlock(&s); //~ A
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_spin_destroy(&s);
    return 0;
}
