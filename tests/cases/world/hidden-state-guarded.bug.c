// SPDX-License-Identifier: Apache-2.0
//~ check: race
// localtime under the lock in one function, without it in another.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int year_of(time_t t)
{
    if (t > 1200000000)
        return localtime(&t)->tm_year; //~ here
    pthread_mutex_lock(&lock);
    int year = localtime(&t)->tm_year; //~ here
    pthread_mutex_unlock(&lock);
    return year;
}

static int fields(const char *line)
{
    char copy[64];
    int n = 0;
    snprintf(copy, sizeof copy, "%s", line);
    pthread_mutex_lock(&lock);
    for (char *w = strtok(copy, ","); w != NULL; w = strtok(NULL, ","))
        n++;
    pthread_mutex_unlock(&lock);
    return n;
}

static void *work(void *arg)
{
    time_t t = *(time_t *)arg;
    const char *home = getenv("HOME");
    int n = year_of(t) + fields("a,b,c") + (home != NULL && home[0] == '/');
    return n > 0 ? arg : NULL;
}

int main(void)
{
    time_t times[2] = {1000000000, 1500000000};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &times[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
