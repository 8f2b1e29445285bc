// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The same with the value under the lock.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int temperature;
static char lines[10][32];
static int used;
static void log_line(const char *s)
{
    pthread_mutex_lock(&log_lock);
    snprintf(lines[used++], 32, "%s", s);
    pthread_mutex_unlock(&log_lock);
}
static void *sensor(void *a)
{
    pthread_mutex_lock(&log_lock);
    temperature = 21;
    pthread_mutex_unlock(&log_lock);
    log_line("measured");
    return a;
}
static void *display(void *a)
{
    log_line("displaying");
    pthread_mutex_lock(&log_lock);
    int t = temperature;
    pthread_mutex_unlock(&log_lock);
    *(int *)a = t;
    return a;
}
int main(void)
{
    pthread_t s, d;
    int shown = 0;
    pthread_create(&s, 0, sensor, 0);
    pthread_create(&d, 0, display, &shown);
    pthread_join(s, 0);
    pthread_join(d, 0);
    printf("%d lines\n", used);
    return 0;
}
