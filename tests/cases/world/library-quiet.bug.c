// SPDX-License-Identifier: Apache-2.0
// Who sorts does not hold the lock under which the others change what is sorted.
// Nothing else is wrong.
//~ check: race
#define _GNU_SOURCE
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;
static char *handed;
static struct tm shared_time;
static int numbers[6] = {5, 3, 4, 1, 2, 0};

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b; //~ here
}

static void *work(void *arg)
{
    char line[64], *text = NULL, *rest = NULL;
    time_t when = 86400 * (arg ? 2 : 1);
    struct tm mine;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found = NULL;
    if (getaddrinfo("127.0.0.1", "80", &hints, &found) == 0)
        freeaddrinfo(found);
    gmtime_r(&when, &mine);
    strftime(line, sizeof line, "%d", &mine);
    fprintf(log_file, "day %s\n", line);
    if (asprintf(&text, "%ld words", (long)strtol(line, &rest, 10)) < 0)
        abort();
    qsort(numbers, 6, sizeof numbers[0], by_value); //~ here
    pthread_mutex_lock(&lock);
    shared_time = mine;
    numbers[5]++; //~ here
    if (!handed) {
        handed = text;
        text = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(text);
    fputs("end\n", log_file);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    log_file = tmpfile();
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    rewind(log_file);
    int ok = numbers[0] == 0 && strchr(handed, 'w') && shared_time.tm_mday > 0;
    fclose(log_file);
    free(handed);
    return !ok;
}
