// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Two children take jobs from one pipe, with two threads each that count without a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int jobs[2], results[2];
static int done;

static void *take(void *arg)
{
    int n;
    while (read(jobs[0], &n, sizeof n) == sizeof n) {
        n *= n;
        must(write(results[1], &n, sizeof n) == sizeof n);
        done++; //~ here
    }
    return arg;
}

static void worker(void)
{
    pthread_t a, b;
    close(jobs[1]);
    close(results[0]);
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    _exit(done > 6);
}

int main(void)
{
    int n, status, sum = 0, failed = 0;
    must(pipe(jobs) == 0 && pipe(results) == 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        must(child >= 0);
        if (child == 0)
            worker();
    }
    close(jobs[0]);
    close(results[1]);
    for (n = 1; n <= 6; n++)
        must(write(jobs[1], &n, sizeof n) == sizeof n);
    close(jobs[1]);
    while (read(results[0], &n, sizeof n) == sizeof n)
        sum += n;
    for (int i = 0; i < 2; i++)
        failed += wait(&status) < 0 || status != 0;
    printf("%d\n", sum);
    return failed || sum != 91;
}
