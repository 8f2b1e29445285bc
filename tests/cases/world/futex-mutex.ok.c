// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A mutex of the program's own, by futex: three states, as Drepper describes it.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int total;

static void lock(void)
{
    int c = 0;
    if (atomic_compare_exchange_strong(&word, &c, 1))
        return;
    if (c != 2)
        c = atomic_exchange(&word, 2);
    while (c != 0) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        c = atomic_exchange(&word, 2);
    }
}

static void unlock(void)
{
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *add(void *arg)
{
    for (int i = 0; i < 3; i++) {
        lock();
        total++; //~ here
        unlock();
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    lock();
    int seen = total; //~ here
    unlock();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return seen > 6 || total != 6;
}
