// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A segment of System V that a child has too; two threads count without a lock that they end.
#include <pthread.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static int set, done;
static int *count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void change(short by)
{
    struct sembuf op = {0, by, SEM_UNDO};
    if (semop(set, &op, 1) != 0)
        abort();
}

static void add(void)
{
    for (int i = 0; i < 3; i++) {
        change(-1);
        ++*count;
        change(1);
    }
}

static void *work(void *arg)
{
    add();
    (void)lock;
    done++; //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    int segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    set = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    if (segment < 0 || set < 0 || semctl(set, 0, SETVAL, 1) != 0)
        return 2;
    count = shmat(segment, NULL, 0);
    pid_t child = fork();
    if (child == 0) {
        add();
        _exit(0);
    }
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    waitpid(child, NULL, 0);
    int all = *count;
    shmctl(segment, IPC_RMID, NULL);
    semctl(set, 0, IPC_RMID);
    return all != 9 || done != 2;
}
