// SPDX-License-Identifier: Apache-2.0
//~ check: race
// The environment is changed while another thread reads it.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;

static void *reload(void *arg)
{
    pthread_mutex_lock(&lock);
    setenv("APP_LEVEL", "3", 1); //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg)
{
    const char *text = getenv("APP_LEVEL"); //~ here
    level = text != NULL ? atoi(text) : 0;  //~ here
    return arg;
}

int main(void)
{
    pthread_t a, b;
    setenv("APP_LEVEL", "1", 1);
    pthread_create(&a, NULL, reload, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
