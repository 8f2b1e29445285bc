// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A number is parsed under the lock under which its digits are written.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char rate[16] = "1.25";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *set(void *arg)
{
    pthread_mutex_lock(&lock);
    strcpy(rate, "3.5"); //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

static double get(void)
{
    char *end;
    pthread_mutex_lock(&lock);
    double value = strtod(rate, &end);
    pthread_mutex_unlock(&lock);
    return value;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    double seen = get();
    pthread_join(t, NULL);
    return seen < 1;
}
