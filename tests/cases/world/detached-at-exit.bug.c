// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Detached threads wait for ever when main returns; one of them has touched what main reads.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int ends[2], blocked;

static void *reads(void *arg)
{
    char c;
    pthread_mutex_lock(&lock);
    blocked++; //~ here
    pthread_mutex_unlock(&lock);
    return read(ends[0], &c, 1) == 1 ? arg : NULL;
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&lock);
    blocked++; //~ here
    for (;;)
        pthread_cond_wait(&never, &lock);
    return arg;
}

static void *sleeps(void *arg)
{
    for (;;)
        sleep(100);
    return arg;
}

int main(void)
{
    void *(*const kinds[])(void *) = {reads, waits, sleeps};
    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, kinds[i], NULL);
        pthread_detach(t);
    }
    int n = blocked; //~ here
    return n > 2;
}
