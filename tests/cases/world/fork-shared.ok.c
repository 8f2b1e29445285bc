// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Parent and child count in shared memory by atomics; two threads of the parent do it too.
#include <pthread.h>
#include <stdatomic.h>
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

static atomic_int *shared;

static void *count(void *arg)
{
    atomic_fetch_add(shared, 1);
    return arg;
}

int main(void)
{
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED);
    pid_t child = fork();
    if (child == 0) {
        atomic_fetch_add(shared, 1);
        _exit(0);
    }
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    must(waitpid(child, NULL, 0) == child);
    printf("%d\n", atomic_load(shared));
    return atomic_load(shared) != 3;
}
