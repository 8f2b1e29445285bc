// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
//~ stdin: one two\nthree\nfour five\n
// Two threads take lines from standard input and count their letters under a lock.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static size_t letters;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        pthread_mutex_lock(&lock);
        letters += strcspn(line, "\n"); //~ here
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%zu letters\n", letters);
    return 0;
}
