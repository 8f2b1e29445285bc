// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A test harness forks each test and kills it after four seconds; a test counts with two
// threads and no lock.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int served;

static void *serve(void *arg)
{
    for (int i = 0; i < 3; i++) {
        served++; //~ here
    }
    return arg;
}

static int work(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return served;
}

static volatile sig_atomic_t late;
static pid_t child;

static void at_alarm(int number)
{
    late = number;
    kill(child, SIGKILL);
}

static int test_counts(void)
{
    return work() <= 6;
}

static int test_plain(void)
{
    return served == 0;
}

static int run(const char *name, int (*test)(void))
{
    int status;
    fflush(stdout);
    child = fork();
    if (child == 0)
        exit(test() ? 0 : 1);
    alarm(4);
    must(waitpid(child, &status, 0) == child);
    alarm(0);
    int passed = !late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("%s: %s\n", name, passed ? "ok" : "FAILED");
    return !passed;
}

int main(void)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = at_alarm;
    act.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &act, NULL);
    int failed = run("counts", test_counts);
    return failed + run("plain", test_plain);
}
