/* SPDX-License-Identifier: Apache-2.0
 *
 * figure1b: the paper's figure 1 (b). The second thread writes after it was told to; the
 * flag makes the paper's signal one that is not lost. */
#include "fusion.h"

static int x, told;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
    if (*(int *)arg == 0) {
        HEDDLE_ATOMIC_BEGIN();
        x = 1;
        int a = x + 1;
        HEDDLE_ATOMIC_END();
        pthread_mutex_lock(&m);
        told = a > 0;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
        return NULL;
    }
    pthread_mutex_lock(&m);
    while (!told)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    x = 3;
    return NULL;
}

int main(int argc, char **argv)
{
    run_threads(work, thread_count(argc, argv, 2));
    return 0;
}
