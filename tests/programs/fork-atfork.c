/* pthread_atfork handlers keep a mutex whole over fork; the child uses it. */
//~ exit: 0
//~ stdout: before 1, parent 1, child 1
//~ stdout: child found it 5 and made it 6, parent still has 5
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value = 5, before, in_parent, in_child;

static void lock_all(void)
{
    before++;
    pthread_mutex_lock(&m);
}

static void unlock_parent(void)
{
    in_parent++;
    pthread_mutex_unlock(&m);
}

static void unlock_child(void)
{
    in_child++;
    pthread_mutex_unlock(&m);
}

static void answer(int fd)
{
    pthread_mutex_lock(&m);
    int found[3] = {value, value + 1, in_child};
    value++;
    pthread_mutex_unlock(&m);
    _exit(write(fd, found, sizeof found) == sizeof found ? 0 : 1);
}

int main(void)
{
    int ends[2], found[3], status;
    pthread_atfork(lock_all, unlock_parent, unlock_child);
    if (pipe(ends) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0)
        answer(ends[1]);
    close(ends[1]);
    if (read(ends[0], found, sizeof found) != sizeof found || waitpid(pid, &status, 0) != pid)
        return 1;
    printf("before %d, parent %d, child %d\n", before, in_parent, found[2]);
    printf("child found it %d and made it %d, parent still has %d\n", found[0], found[1],
           value);
    return status;
}
