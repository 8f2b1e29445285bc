// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A test harness runs each test in a child; one test has two threads and no lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int counter;

static void *count(void *arg)
{
    for (int i = 0; i < 5; i++) {
        counter++; //~ here
    }
    return arg;
}

static int test_threads(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counter == 10;
}

static int test_plain(void)
{
    return counter == 0;
}

static int run(const char *name, int (*test)(void))
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(test() ? 0 : 1);
    waitpid(child, &status, 0);
    int passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("%s: %s\n", name, passed ? "ok" : "FAILED");
    return !passed;
}

int main(void)
{
    int failed = run("plain", test_plain);
    failed += run("threads", test_threads);
    return failed != 0;
}
