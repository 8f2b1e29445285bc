/* Twice forked: the grandchild outlives its parent, and tells main through a pipe. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int ends[2], status;
    char c = 0;
    if (pipe(ends))
        return 2;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        if (fork() == 0) {
            usleep(1000);
            if (write(ends[1], "x", 1) != 1)
                _exit(3);
            _exit(0);
        }
        _exit(0);
    }
    waitpid(pid, &status, 0);
    close(ends[1]);
    if (read(ends[0], &c, 1) != 1)
        return 4;
    return c != 'x';
}
