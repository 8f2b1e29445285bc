/* posix_spawn, system, popen and fork with exec start other programs from several threads. */
//~ exit: 0
//~ stdout: from a shell
//~ stdout: spawned 0, system 5, popen said hello, exec 3
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int spawned = -1, shell = -1, executed = -1;
static char said[32] = "";

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static void *spawn(void *arg)
{
    char *argv[] = {"sh", "-c", "echo from a shell", NULL};
    pid_t pid;
    int status;
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0 &&
        waitpid(pid, &status, 0) == pid)
        spawned = code_of(status);
    return arg;
}

static void *ask_shell(void *arg)
{
    shell = code_of(system("exit 5"));
    FILE *p = popen("echo hello", "r");
    if (p != NULL && fgets(said, sizeof said, p) != NULL)
        said[strcspn(said, "\n")] = '\0';
    if (p != NULL)
        pclose(p);
    return arg;
}

static void *execute(void *arg)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execlp("sh", "sh", "-c", "exit 3", (char *)NULL);
        _exit(127);
    }
    if (waitpid(pid, &status, 0) == pid)
        executed = code_of(status);
    return arg;
}

int main(void)
{
    void *(*body[3])(void *) = {spawn, ask_shell, execute};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("spawned %d, system %d, popen said %s, exec %d\n", spawned, shell, said, executed);
    return 0;
}
