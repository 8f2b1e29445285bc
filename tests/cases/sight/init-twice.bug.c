// SPDX-License-Identifier: Apache-2.0
//~ check: misuse
// Each module initialises the common lock again.
#include <pthread.h>

static pthread_mutex_t common;
static int modules;

static void make(void)
{
    pthread_mutex_init(&common, NULL); //~ here
}

static void module_open(void)
{
    make();
    pthread_mutex_lock(&common);
    modules++;
    pthread_mutex_unlock(&common);
}

static void *use(void *arg)
{
    pthread_mutex_lock(&common);
    modules += 10;
    pthread_mutex_unlock(&common);
    return arg;
}

int main(void)
{
    pthread_t t;
    module_open();
    module_open();
    pthread_create(&t, NULL, use, NULL);
    pthread_join(t, NULL);
    return modules != 12;
}
