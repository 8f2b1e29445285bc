/* A handled signal interrupts sleep, a semaphore wait and a read with EINTR. */
//~ exit: 0
//~ stdout: nanosleep EINTR with time left yes, sem_wait EINTR, read EINTR
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int stage;
static sem_t never;
static int ends[2], result[3], time_left;

static void handler(int number)
{
    (void)number;
}

static void *be_interrupted(void *arg)
{
    struct timespec left = {0, 0};
    char byte;
    while (nanosleep(&(struct timespec){3600, 0}, &left) == 0)
        ; /* a schedule may let the hour pass */
    result[0] = errno;
    time_left = left.tv_sec > 0;
    atomic_store(&stage, 1);
    if (sem_wait(&never) == -1)
        result[1] = errno;
    atomic_store(&stage, 2);
    if (read(ends[0], &byte, 1) == -1)
        result[2] = errno;
    atomic_store(&stage, 3);
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler}; /* without SA_RESTART */
    pthread_t t;
    sem_init(&never, 0, 0);
    if (pipe(ends) != 0)
        return 1;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, be_interrupted, NULL);
    while (atomic_load(&stage) < 3) { /* again, because it may have come between two calls */
        pthread_kill(t, SIGUSR1);
        usleep(500);
    }
    pthread_join(t, NULL);
    printf("nanosleep %s with time left %s, sem_wait %s, read %s\n", strerrorname_np(result[0]),
           time_left ? "yes" : "no", strerrorname_np(result[1]), strerrorname_np(result[2]));
    return 0;
}
