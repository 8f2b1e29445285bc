// SPDX-License-Identifier: Apache-2.0
//~ expect: use-after-destroy A B
// The lock may be destroyed before its second user comes.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m;

static void *user(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m); //~ A
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&m, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_create(&a, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_mutex_destroy(&m); //~ B
    pthread_join(b, NULL);
    return 0;
}
