// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A payment is one section of both locks, an audit too.
#include <pthread.h>
#include <stdio.h>

static long checking = 100, savings = 100;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *teller(void *arg)
{
    pthread_mutex_lock(&one);
    checking -= 10; //~ here
    pthread_mutex_lock(&two);
    savings += 10; //~ here
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
    return arg;
}

static void *auditor(void *arg)
{
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&two);
    *(long *)arg = checking + savings; //~ here
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    long sum = 0;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, auditor, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("the auditor saw %ld\n", sum);
    return sum != 200;
}
