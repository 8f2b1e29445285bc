/* Parent and child wait for each other. */
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int ends[2];
    char c;
    int status;
    if (pipe(ends))
        return 1;
    if (fork() == 0) {
        if (read(ends[0], &c, 1) != 1)
            _exit(1);
        _exit(0);
    }
    wait(&status);
    return write(ends[1], "x", 1) != 1;
}
