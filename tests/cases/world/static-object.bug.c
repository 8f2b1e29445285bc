// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A default object that a static pointer names from the start; it is replaced without the lock.
#include <pthread.h>
#include <stdio.h>

struct config {
    int size;
};

static struct config standard = {4}, special = {8};
static struct config *current = &standard;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
    pthread_mutex_lock(&lock);
    struct config *mine = current; //~ here
    pthread_mutex_unlock(&lock);
    *(int *)arg += mine->size;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int size = 0;
    pthread_create(&t, NULL, user, &size);
    current = &special; //~ here
    pthread_join(t, NULL);
    puts(size ? "sized" : "empty");
    return size != 4 && size != 8;
}
