/* A child's assertion fails in some schedules; the parent does not ask. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
static int ready, data;
static void *put(void *a)
{
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&data, 1, __ATOMIC_SEQ_CST);
    return a;
}
int main(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t t;
        pthread_create(&t, NULL, put, NULL);
        if (__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
            assert(__atomic_load_n(&data, __ATOMIC_SEQ_CST));
        pthread_join(t, NULL);
        _exit(0);
    }
#ifdef HEARD
    int status;
    waitpid(pid, &status, 0);
#else
    waitpid(pid, NULL, 0);
#endif
    return 0;
}
