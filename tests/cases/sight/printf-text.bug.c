// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A title is printed with %s while another thread gives it a new text.
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
    fprintf(out, "%d: %s\n", 1, title); //~ here
    pthread_join(t, NULL);
    fclose(out);
    return 0;
}
