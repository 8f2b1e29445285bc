// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Two threads read what commands print, and add up the lines under a lock.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void *count(void *arg)
{
    char line[32];
    FILE *f = popen("printf 'one\\ntwo\\n'", "r");
    if (!f)
        abort();
    while (fgets(line, sizeof line, f)) {
        pthread_mutex_lock(&lock);
        lines++;
        pthread_mutex_unlock(&lock);
    }
    return pclose(f) == 0 ? arg : NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return lines > 4;
}
