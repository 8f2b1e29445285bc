// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The title is printed with %s under the lock that guards it.
#include <pthread.h>
#include <stdio.h>

static char title[32] = "start";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *rename_it(void *arg)
{
    pthread_mutex_lock(&lock);
    title[0] = 'S'; //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    FILE *out = fopen("/dev/null", "w");
    if (out == NULL || pthread_create(&t, NULL, rename_it, NULL) != 0)
        return 1;
    pthread_mutex_lock(&lock);
    fprintf(out, "%d: %s\n", 1, title); //~ here
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    fclose(out);
    return 0;
}
