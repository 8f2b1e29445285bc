// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A process ends with a robust mutex that another one waits for, who is told and goes on.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct area {
    pthread_mutex_t lock;
    int count;
};

static int add(struct area *a)
{
    int e = pthread_mutex_lock(&a->lock);
    if (e == EOWNERDEAD)
        e = pthread_mutex_consistent(&a->lock);
    if (e)
        return 1;
    a->count++;
    return pthread_mutex_unlock(&a->lock);
}

int main(void)
{
    pthread_mutexattr_t attr;
    int status, both = PROT_READ | PROT_WRITE;
    struct area *a = mmap(NULL, sizeof *a, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (a == MAP_FAILED)
        return 2;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&a->lock, &attr);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (add(a) || pthread_mutex_lock(&a->lock))
                _exit(1);
            a->count++;
            _exit(0);
        }
        if (waitpid(child, &status, 0) != child || status || add(a))
            return 3;
    }
    printf("%d\n", a->count);
    return a->count != 6;
}
