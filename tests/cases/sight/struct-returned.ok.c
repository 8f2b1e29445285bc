// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A structure is assigned as a whole and read as a whole under one lock.
#include <pthread.h>

struct point {
    double x, y, z;
    int valid;
};

static struct point last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct point get(void)
{
    pthread_mutex_lock(&lock);
    struct point p = last;
    pthread_mutex_unlock(&lock);
    return p;
}

static void *set(void *arg)
{
    struct point p = {1, 2, 3, 1};
    pthread_mutex_lock(&lock);
    last = p; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    struct point p = get();
    pthread_join(t, NULL);
    return p.valid > 1;
}
