/* Three seconds stand in the place of a join: the sum may be missing. */
//~ check: failure|assertion|order|race|atomicity
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    sum = 42;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    sleep(3);
    pthread_mutex_lock(&lock);
    int seen = sum;
    pthread_mutex_unlock(&lock);
    assert(seen == 42);
    pthread_join(t, NULL);
    return 0;
}
