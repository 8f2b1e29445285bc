// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A monitor peeks at a number that is changed under a lock, and says that it is meant so.
#include <pthread.h>

void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth, peak;

static int peek(void)
{
    if (AnnotateIgnoreReadsBegin)
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    int n = depth;
    if (AnnotateIgnoreReadsEnd)
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    return n;
}

static void *push(void *arg)
{
    pthread_mutex_lock(&lock);
    depth++;
    peak = depth; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, push, NULL);
    int seen = peek();
    pthread_join(t, NULL);
    return seen > 1;
}
