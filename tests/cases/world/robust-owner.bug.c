// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A thread ends with a robust mutex held; who gets it next counts that without the lock.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int balance;
static int mended;

static int enter(void)
{
    int r = pthread_mutex_lock(&lock);
    if (r == EOWNERDEAD) {
        balance = 0;
        pthread_mutex_consistent(&lock);
        mended++; //~ here
        r = 0;
    }
    return r;
}

static void *dies(void *arg)
{
    if (enter() == 0)
        balance = -1;
    return arg;
}

static void *works(void *arg)
{
    if (enter() != 0)
        return NULL;
    balance += 10;
    pthread_mutex_unlock(&lock);
    if (mended > 1) //~ here
        return NULL;
    return arg;
}

int main(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &a);
    pthread_t t[3];
    pthread_create(&t[0], NULL, dies, NULL);
    pthread_create(&t[1], NULL, works, NULL);
    pthread_create(&t[2], NULL, works, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
