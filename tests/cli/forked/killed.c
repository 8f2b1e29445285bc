#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    sleep(1);
    kill(pid, SIGTERM);
    if (waitpid(pid, &status, 0) != pid)
        return 2;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1;
}
