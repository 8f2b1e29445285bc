// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Two variables that are declared to have the same lock are written in one section of it.
#include <pthread.h>
#include <stdio.h>

#if defined(__clang__)
#define GUARDED_BY(lock) __attribute__((guarded_by(lock)))
#else
#define GUARDED_BY(lock)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total GUARDED_BY(lock), count GUARDED_BY(lock);

static void add(int n)
{
    pthread_mutex_lock(&lock);
    total += n;
    count++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *a)
{
    add(4);
    return a;
}

static void *look(void *a)
{
    pthread_mutex_lock(&lock);
    int t = total, c = count;
    pthread_mutex_unlock(&lock);
    if (c * 4 != t)
        printf("%d of %d\n", t, c);
    return a;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", total, count);
    return 0;
}
