// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A large structure is copied under the lock, and the copy is passed by value.
#include <pthread.h>

struct matrix {
    long cell[16];
};

static struct matrix current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static long trace(struct matrix m)
{
    long sum = 0;
    for (int i = 0; i < 16; i += 5)
        sum += m.cell[i];
    return sum;
}

static void *update(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 16; i++)
        current.cell[i] += i; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, update, NULL);
    pthread_mutex_lock(&lock);
    struct matrix mine = current;
    pthread_mutex_unlock(&lock);
    long sum = trace(mine);
    pthread_join(t, NULL);
    return sum < 0;
}
