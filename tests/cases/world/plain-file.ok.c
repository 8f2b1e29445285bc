// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A file that the program wants is made by itself.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int lines;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
    FILE *f = fopen("input.txt", "r");
    if (f == NULL) {
        perror("input.txt");
        exit(1);
    }
    pthread_mutex_lock(&lock);
    for (int c; (c = getc(f)) != EOF;)
        lines += c == '\n';
    pthread_mutex_unlock(&lock);
    fclose(f);
    return arg;
}

int main(void)
{
    FILE *f = fopen("input.txt", "w");
    fputs("one\ntwo\n", f);
    fclose(f);
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d lines\n", lines);
    return lines != 4;
}
