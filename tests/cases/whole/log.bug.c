// SPDX-License-Identifier: Apache-2.0
//~ expect: race
// The write stands before a section of an unrelated lock, the read behind one; what is in that
// section fixes the order of the recorded run.
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
    temperature = 21;
    log_line("measured");
    return a;
}
static void *display(void *a)
{
    log_line("displaying");
    int t = temperature;
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
    printf("%d degrees, %d lines\n", shown, used);
    return 0;
}
