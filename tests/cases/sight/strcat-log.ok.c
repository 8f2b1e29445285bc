// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads append to one text under one lock.
#include <pthread.h>
#include <string.h>

static char log_text[64];
static pthread_mutex_t locks[1] = {PTHREAD_MUTEX_INITIALIZER};

static void append(const char *what, int me)
{
    pthread_mutex_t *lock = &locks[me % (sizeof locks / sizeof locks[0])];
    pthread_mutex_lock(lock);
    if (strlen(log_text) + strlen(what) < sizeof log_text) //~ here
        strcat(log_text, what);                            //~ here
    pthread_mutex_unlock(lock);
}

static void *work(void *arg)
{
    append(arg, 1);
    return NULL;
}

int main(void)
{
    char text[] = "worker ";
    pthread_t t;
    pthread_create(&t, NULL, work, text);
    append("main ", 0);
    pthread_join(t, NULL);
    return log_text[0] == '\0';
}
