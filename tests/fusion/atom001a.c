/* SPDX-License-Identifier: Apache-2.0
 *
 * atom001a: atom001, mended without a lock around the whole: the second writer waits until the
 * first one says that it is done. */
#include "fusion.h"

static char buffer[64];
static int used, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t said = PTHREAD_COND_INITIALIZER;

static void append(const char *text, int len)
{
    HEDDLE_ATOMIC_BEGIN();
    int at = used;
    if (at + len < (int)sizeof buffer) {
        for (int i = 0; i < len; i++)
            buffer[at + i] = text[i];
        used = at + len;
    }
    HEDDLE_ATOMIC_END();
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&said);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    if (*(int *)arg == 0) {
        append("GET", 3);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&said, &lock);
    pthread_mutex_unlock(&lock);
    used = used + 4;
    return NULL;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
