/* fork from main and from a thread: the children exit, the parent's threads go on. */
//~ exit: 0
//~ stdout: children 7 and 9, only copied yes, threads still work 2000
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter, private_copy = 1;

static int child_code(int code)
{
    pid_t pid = fork();
    if (pid == 0) {
        private_copy = 2;
        _exit(code);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static void *count(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        counter++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *fork_in_thread(void *arg)
{
    *(int *)arg = child_code(9);
    return NULL;
}

int main(void)
{
    pthread_t t[2], f;
    int second = 0;
    pthread_create(&t[0], NULL, count, NULL);
    int first = child_code(7); /* the counting thread does not exist in the child */
    pthread_create(&f, NULL, fork_in_thread, &second);
    pthread_create(&t[1], NULL, count, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(f, NULL);
    printf("children %d and %d, only copied %s, threads still work %d\n", first, second,
           private_copy == 1 ? "yes" : "no", counter);
    return 0;
}
