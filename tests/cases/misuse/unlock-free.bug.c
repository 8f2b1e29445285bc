// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// The unlock is done twice where there was an error.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 5;

static int take(int amount)
{
    pthread_mutex_lock(&m);
    if (amount > balance) {
        pthread_mutex_unlock(&m);
        goto out;
    }
    balance -= amount;
out:
    pthread_mutex_unlock(&m); //~ A
    return balance;
}

static void *thread(void *arg)
{
    take(9);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    take(1);
    pthread_join(t, NULL);
    return 0;
}
