// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Parent and child share locks in mapped memory; two threads of the parent count without one.
#include <pthread.h>
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
    pthread_mutex_t first, second;
    int value;
};

static struct board *board;
static int own;

static void add(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&board->first);
        pthread_mutex_lock(&board->second);
        board->value++;
        pthread_mutex_unlock(&board->second);
        pthread_mutex_unlock(&board->first);
    }
}

static void *adds(void *arg)
{
    add();
    own++; //~ here
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t a, b;
    int status;
    board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(board != MAP_FAILED);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&board->first, &attr);
    pthread_mutex_init(&board->second, &attr);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        add();
        _exit(0);
    }
    pthread_create(&a, NULL, adds, NULL);
    pthread_create(&b, NULL, adds, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    must(waitpid(child, &status, 0) == child && status == 0);
    printf("%d\n", board->value);
    return board->value != 9;
}
