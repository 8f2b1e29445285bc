// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Other programs, started in four ways by two threads that count without a lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

extern char **environ;
static int good;

static void count(int status)
{
    good += status == 0; //~ here
}

static void *by_shell(void *arg)
{
    char line[16] = "";
    count(system("true"));
    FILE *f = popen("echo hello", "r");
    must(f && fgets(line, sizeof line, f) && line[0] == 'h');
    count(pclose(f));
    return arg;
}

static void *by_hand(void *arg)
{
    char *argv[] = {"true", NULL};
    int status;
    pid_t pid;
    must(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0);
    must(waitpid(pid, &status, 0) == pid);
    count(status);
    pid = vfork();
    if (pid == 0) {
        execv("/bin/true", argv);
        _exit(1);
    }
    must(waitpid(pid, &status, 0) == pid);
    count(status);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, by_shell, NULL);
    pthread_create(&b, NULL, by_hand, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", good);
    return good != 4;
}
