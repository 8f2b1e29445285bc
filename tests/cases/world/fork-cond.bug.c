// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// Threads of the parent hand numbers to the child by a condition in mapped memory, and count
// without a lock.
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
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full, value;
};

static struct board *board;
static int own;

static void put(int n)
{
    pthread_mutex_lock(&board->lock);
    while (board->full)
        pthread_cond_wait(&board->changed, &board->lock);
    board->value = n;
    board->full = 1;
    pthread_cond_broadcast(&board->changed);
    pthread_mutex_unlock(&board->lock);
}

static int get(void)
{
    pthread_mutex_lock(&board->lock);
    while (!board->full)
        pthread_cond_wait(&board->changed, &board->lock);
    int n = board->value;
    board->full = 0;
    pthread_cond_broadcast(&board->changed);
    pthread_mutex_unlock(&board->lock);
    return n;
}

static void *puts_two(void *arg)
{
    put(1);
    put(2);
    own++; //~ here
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_condattr_t cattr;
    pthread_t a, b;
    int status;
    board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(board != MAP_FAILED);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&board->lock, &attr);
    pthread_condattr_init(&cattr);
    pthread_condattr_setpshared(&cattr, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&board->changed, &cattr);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        int sum = 0;
        for (int i = 0; i < 4; i++)
            sum += get();
        _exit(sum);
    }
    pthread_create(&a, NULL, puts_two, NULL);
    pthread_create(&b, NULL, puts_two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    must(waitpid(child, &status, 0) == child && WIFEXITED(status));
    printf("%d\n", WEXITSTATUS(status));
    return WEXITSTATUS(status) != 6;
}
