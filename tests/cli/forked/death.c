/* A test of a crash: the child is expected to die. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *a)
{
    return a;
}
int main(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t t;
        pthread_create(&t, NULL, nothing, NULL);
        pthread_join(t, NULL);
        assert(pid != 0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 0 : 1;
}
