// SPDX-License-Identifier: Apache-2.0
//~ check: stopped
//~ interrupt: 2
// Many bytes to look at for values, each of them once; Ctrl-C comes in the middle.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 40 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag, seen;

static void *set(void *arg)
{
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int out = open("/dev/null", O_WRONLY);
    char *all = calloc(1, BYTES);
    pthread_create(&t, NULL, set, NULL);
    if (!all || write(out, all, BYTES) != BYTES)
        return 1;
    if (flag == 0) //~ here
        seen = 1;
    pthread_mutex_lock(&lock);
    seen += flag;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    free(all);
    return seen > 2;
}
