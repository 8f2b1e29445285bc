// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Threads of the parent hand numbers to the child by semaphores in mapped memory, and count
// without a lock.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

struct board {
    sem_t empty, full;
    int value;
};

static struct board *board;
static int sent;

static void *send(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        sem_wait(&board->empty);
        board->value = i;
        sem_post(&board->full);
        sent++; //~ here
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int status;
    board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(board != MAP_FAILED);
    must(sem_init(&board->empty, 1, 1) == 0 && sem_init(&board->full, 1, 0) == 0);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            sem_wait(&board->full);
            sum += board->value;
            sem_post(&board->empty);
        }
        _exit(sum);
    }
    pthread_create(&a, NULL, send, NULL);
    pthread_create(&b, NULL, send, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    must(waitpid(child, &status, 0) == child && WIFEXITED(status));
    printf("%d\n", WEXITSTATUS(status));
    return WEXITSTATUS(status) != 6;
}
