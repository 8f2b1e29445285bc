// SPDX-License-Identifier: Apache-2.0
//~ expect: atomicity A B C
// Two variables that belong together change in two sections.
#include <pthread.h>
#include <stdio.h>

static int checking = 100, savings = 100;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *teller(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        savings += 10; //~ A
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        checking -= 10; //~ B
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *auditor(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    int sum = checking + savings; //~ C
    pthread_mutex_unlock(&m);
    printf("%d\n", sum);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, auditor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
