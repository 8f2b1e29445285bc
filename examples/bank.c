/* SPDX-License-Identifier: Apache-2.0
 *
 * bank: a teller moves money between two accounts while an auditor adds them up. The auditor
 * takes only one of the two locks: the test passes, until the auditor comes between the two
 * halves of a payment. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long checking = 100, savings = 100;
static pthread_mutex_t checking_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t savings_lock = PTHREAD_MUTEX_INITIALIZER;

static void *teller(void *count)
{
    for (long i = 0; i < (long)count; i++) {
        pthread_mutex_lock(&savings_lock);
        savings += 10;
        pthread_mutex_unlock(&savings_lock);
        pthread_mutex_lock(&checking_lock);
        checking -= 10;
        pthread_mutex_unlock(&checking_lock);
    }
    return NULL;
}

static void *auditor(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&checking_lock);
    long sum = checking + savings;
    pthread_mutex_unlock(&checking_lock);
    printf("the auditor saw a sum of %ld\n", sum);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    pthread_create(&threads[0], NULL, teller, (void *)count);
    pthread_create(&threads[1], NULL, auditor, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("at the end it is %ld\n", checking + savings);
    return 0;
}
