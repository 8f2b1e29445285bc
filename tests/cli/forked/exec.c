#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status;
    if (fork() == 0) {
        execl("/bin/true", "true", (char *)0);
        _exit(9);
    }
    wait(&status);
    if (vfork() == 0) {
        execlp("true", "true", (char *)0);
        _exit(9);
    }
    wait(&status);
    if (fork() == 0) {
        execl("/no/such", "true", (char *)0);
        _exit(0);
    }
    wait(&status);
    return system("true") + status;
}
