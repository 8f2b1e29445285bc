// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
//~ stdin: one two\nthree\nfour five\n
// Two threads take lines from standard input and count their letters without a lock.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static size_t letters;

static void *count(void *arg)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        letters += strcspn(line, "\n"); //~ here
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
