/* Two threads sleep for an hour, which virtual time makes short. */
//~ exit: 0
//~ stdout: an hour has passed: yes
//~ native: skip it would take an hour
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *sleep_long(void *arg)
{
    unsigned left = 3600;
    while (left > 0)
        left = sleep(left);
    return arg;
}

int main(void)
{
    struct timespec start, end;
    pthread_t t[2];
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sleep_long, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("an hour has passed: %s\n", end.tv_sec - start.tv_sec >= 3599 ? "yes" : "no");
    return 0;
}
