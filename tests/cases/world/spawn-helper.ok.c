// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A helper program is run by one thread while another works; the join makes its result known.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char answer[32];

static void *ask(void *arg)
{
    char text[32] = "";
    char *argv[] = {"echo", "hello", NULL};
    int ends[2], status;
    pid_t child;
    posix_spawn_file_actions_t acts;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    posix_spawn_file_actions_init(&acts);
    posix_spawn_file_actions_adddup2(&acts, ends[1], 1);
    int bad = posix_spawn(&child, "/bin/echo", &acts, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&acts);
    close(ends[1]);
    if (bad == 0 && read(ends[0], text, sizeof text - 1) > 0)
        memcpy(answer, text, sizeof answer); //~ here
    close(ends[0]);
    if (bad == 0)
        waitpid(child, &status, 0);
    return arg;
}

int main(void)
{
    pthread_t t;
    long sum = 0;
    pthread_create(&t, NULL, ask, NULL);
    for (int i = 0; i < 1000; i++)
        sum += i;
    pthread_join(t, NULL);
    char c = answer[0];
    return sum != 499500 || c != 'h';
}
