/* Two threads share standard input with getline and fscanf; nothing is lost or read twice. */
//~ exit: 0
//~ stdin: 7 apples
//~ stdin: 11 pears
//~ stdin: 13 plums
//~ stdin: 17 nuts
//~ stdout: lines 4, sum 48
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int lines, sum;

static void *with_getline(void *arg)
{
    char *line = NULL;
    size_t size = 0;
    for (;;) {
        pthread_mutex_lock(&m);
        ssize_t length = getline(&line, &size, stdin);
        if (length > 0) {
            lines++;
            sum += atoi(line);
        }
        pthread_mutex_unlock(&m);
        if (length <= 0)
            break;
    }
    free(line);
    return arg;
}

static void *with_fscanf(void *arg)
{
    int number, got;
    do {
        pthread_mutex_lock(&m);
        got = fscanf(stdin, "%d%*[^\n]%*c", &number);
        if (got == 1) {
            lines++;
            sum += number;
        }
        pthread_mutex_unlock(&m);
    } while (got == 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, with_getline, NULL);
    pthread_create(&b, NULL, with_fscanf, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("lines %d, sum %d\n", lines, sum);
    return 0;
}
