// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-free A B
//~ flags: -O1
//
// The value of a setting is looked up under the lock, and converted behind it: libc's header
// makes strtol of atoi.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static char *timeout;

static void *one(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    const char *value = timeout;
    pthread_rwlock_unlock(&lock);
    return atoi(value) == 100 ? arg : NULL; //~ A
}

static void *two(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    free(timeout); //~ B
    timeout = strdup("200, and this is a longer text than the one before it");
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    timeout = strdup("100");
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(timeout);
    return 0;
}
