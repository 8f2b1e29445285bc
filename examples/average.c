/* SPDX-License-Identifier: Apache-2.0
 *
 * average: a reporter divides by a count that another thread sets to 0 between the test and the
 * division. Both are locked, each for itself. Division by zero. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count = 4, sum = 20;

static int get_count(void)
{
    pthread_mutex_lock(&lock);
    int now = count;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *reporter(void *unused)
{
    (void)unused;
    if (get_count() > 0)
        printf("average %d\n", sum / get_count());
    return NULL;
}

static void *cleaner(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    count = 0;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reporter, NULL);
    pthread_create(&threads[1], NULL, cleaner, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
