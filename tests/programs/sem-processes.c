// SPDX-License-Identifier: Apache-2.0
// Semaphores that processes share: unnamed in shared memory, and named; posted by children and
// by threads, waited for with and without a time-out.
//~ stdout: posted by a child
//~ stdout: by name: 6
//~ stdout: in time: yes; late: ETIMEDOUT; tried: EAGAIN
//~ stdout: a ball: 10
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sem_t *shared, *named;
static int total;

static pid_t child(sem_t *s, int count)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < count; i++)
            sem_post(s);
        _exit(0);
    }
    return pid;
}

static void *collect(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(named);
        __atomic_add_fetch(&total, 1, __ATOMIC_SEQ_CST);
    }
    return arg;
}

static const char *wait_ms(sem_t *s, long ms)
{
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += ms / 1000;
    when.tv_nsec += ms % 1000 * 1000000;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    return sem_timedwait(s, &when) == 0 ? "yes" : strerrorname_np(errno);
}

int main(void)
{
    char name[40];
    pthread_t t[2];
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared[0], 1, 0);
    sem_init(&shared[1], 1, 0);
    pid_t pid = child(&shared[0], 1);
    sem_wait(&shared[0]);
    waitpid(pid, NULL, 0);
    puts("posted by a child");

    snprintf(name, sizeof name, "/heddle-processes-%d", (int)getpid());
    named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    sem_unlink(name);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, collect, NULL);
    sem_post(named);
    pid = child(named, 4);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    waitpid(pid, NULL, 0);
    printf("by name: %d\n", total);

    pid = child(&shared[0], 1);
    waitpid(pid, NULL, 0);
    const char *in_time = wait_ms(&shared[0], 1000);
    const char *late = wait_ms(&shared[0], 2);
    printf("in time: %s; late: %s; ", in_time, late);
    printf("tried: %s\n", sem_trywait(&shared[0]) == 0 ? "?" : strerrorname_np(errno));

    if ((pid = fork()) == 0) {
        for (int i = 0; i < 5; i++) {
            sem_wait(&shared[0]);
            sem_post(&shared[1]);
        }
        _exit(0);
    }
    int passes = 0;
    for (int i = 0; i < 5; i++) {
        sem_post(&shared[0]);
        sem_wait(&shared[1]);
        passes += 2;
    }
    waitpid(pid, NULL, 0);
    printf("a ball: %d\n", passes);
    return sem_close(named);
}
